// Prints what of package-lock.json (or npm-shrinkwrap.json) is not in node_modules although it
// belongs on this platform: {"missing": [path], "checked": n} or {"unchecked": reason}.
// Run in the repository's root as `node --input-type=module -e SCRIPT COMMAND`.
import { existsSync, readFileSync } from "node:fs";

const command = process.argv[1] ?? "";
const say = (answer) => { process.stdout.write(JSON.stringify(answer)); process.exit(0); };
const name = ["npm-shrinkwrap.json", "package-lock.json"].find((f) => existsSync(f));
if (!name) say({ unchecked: "there is no lock file" });

let lock;
try {
  lock = JSON.parse(readFileSync(name, "utf8"));
} catch (error) {
  say({ unchecked: `${name} cannot be read: ${error.message}` });
}

// What the command or the tree's configuration leaves out is not missing.
const rc = existsSync(".npmrc") ? readFileSync(".npmrc", "utf8") : "";
const words = `${command} ${rc.replaceAll(/\s*=\s*/g, "=")}`;
const omits = (what) => new RegExp(`omit(\\[\\])?[= ]${what}\\b`).test(words);
const omitDev = omits("dev") || /--production|--only=prod|^production=true/m.test(words)
  || (process.env.NODE_ENV === "production" && !/include[= ]dev/.test(words));
const omitOptional = omits("optional") || /--no-optional|^optional=false/m.test(words);
const omitPeer = omits("peer") || /legacy-peer-deps/.test(words);

const listed = (list, value) => {
  if (list === undefined) return true;
  const all = [list].flat();
  if (all.includes(`!${value}`)) return false;
  const wanted = all.filter((v) => !v.startsWith("!"));
  return wanted.length === 0 || wanted.includes(value) || wanted.includes("any");
};
const libc = process.platform !== "linux" ? null
  : process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl";
const fits = (entry) => listed(entry.os, process.platform) && listed(entry.cpu, process.arch)
  && (entry.libc === undefined || listed(entry.libc, libc));

const missing = [];
let checked = 0;
const require_ = (path, entry) => {
  checked += 1;
  const there = existsSync(entry.link ? path : `${path}/package.json`);
  // npm takes an optional package away again when its own script fails.
  if (!there && !(entry.optional && entry.hasInstallScript)) missing.push(path);
};

if (lock.packages) {
  const packages = lock.packages;
  const seen = new Set();
  const find = (from, dependency) => {
    for (let base = from; ; ) {
      const path = `${base ? `${base}/` : ""}node_modules/${dependency}`;
      if (packages[path]) return path;
      if (!base) return null;
      const up = base.lastIndexOf("/node_modules/");
      base = up > 0 ? base.slice(0, up) : "";
    }
  };
  const visit = (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    const entry = packages[path];
    if (!entry) return;
    const own = !path.includes("node_modules/");
    const peers = Object.keys(entry.peerDependencies ?? {})
      .filter((p) => !entry.peerDependenciesMeta?.[p]?.optional);
    const optional = Object.keys(entry.optionalDependencies ?? {});
    const needed = [
      ...Object.keys(entry.dependencies ?? {}).filter((d) => !optional.includes(d)),
      ...(own && !omitDev ? Object.keys(entry.devDependencies ?? {}) : []),
      ...(omitOptional ? [] : optional),
      ...(omitPeer ? [] : peers),
    ];
    for (const dependency of needed) {
      const found = find(path, dependency);
      if (!found || !fits(packages[found])) continue;
      if (!seen.has(found)) require_(found, packages[found]);
      visit(found);
      if (packages[found].link) visit(packages[found].resolved ?? "");
    }
  };
  for (const path of Object.keys(packages)) if (!path.includes("node_modules/")) visit(path);
} else if (lock.dependencies) {
  const walk = (dependencies, below) => {
    for (const [dependency, entry] of Object.entries(dependencies)) {
      // The first format does not say which platform a package is for.
      if (entry.optional || (entry.dev && omitDev)) continue;
      const path = `${below}node_modules/${dependency}`;
      require_(path, entry);
      walk(entry.dependencies ?? {}, `${path}/`);
    }
  };
  walk(lock.dependencies, "");
}
say({ missing, checked });
