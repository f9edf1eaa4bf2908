// Plays a recorded session in the current folder: every step at its time, its output to stdout,
// its writes and deletes below the folder and nowhere else.
//
//   node player.mjs RECORDING
//
// A step: {"delay": seconds after the step before, "output"?, "writes"?: [{"path", "text"|"base64"}],
// "deletes"?: [path], "usage"?: {...}, "exit"?: status}. Times count from the start, so that slow
// writes do not shift the steps after them. A step's writes come before its output: what it says is done.
import fs from "node:fs";
import path from "node:path";

const workspace = fs.realpathSync(process.cwd());

function refuse(message) {
  process.stderr.write(`replay: ${message}\n`);
  process.exit(2);
}

/** The absolute place of a recorded path, refused where it or a link on its way leaves the workspace. */
function inside(recorded) {
  const target = path.resolve(workspace, recorded);
  const within = (place) => place === workspace || place.startsWith(workspace + path.sep);
  if (typeof recorded !== "string" || path.isAbsolute(recorded) || target === workspace || !within(target)) {
    refuse(`the path ${JSON.stringify(recorded)} leaves the workspace`);
  }
  let folder = path.dirname(target);
  while (!fs.existsSync(folder)) folder = path.dirname(folder);
  const leaves = !within(fs.realpathSync(folder));
  const isLink = fs.lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink();
  if (leaves || isLink) refuse(`the path ${JSON.stringify(recorded)} goes through a link`);
  return target;
}

function perform(step) {
  for (const { path: recorded, text, base64 } of step.writes ?? []) {
    const target = inside(recorded);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, text ?? Buffer.from(base64, "base64"));
  }
  for (const recorded of step.deletes ?? []) fs.rmSync(inside(recorded), { recursive: true, force: true });
  let output = step.output ?? "";
  if (output && !output.endsWith("\n")) output += "\n";
  if (step.usage) output += JSON.stringify({ kind: "usage", usage: step.usage }) + "\n";
  if (output) fs.writeSync(1, output);
  if (step.exit !== undefined) process.exit(step.exit);
}

const steps = fs
  .readFileSync(process.argv[2], "utf8")
  .split("\n")
  .filter((line) => line.trim())
  .map((line, index) => {
    try {
      return JSON.parse(line);
    } catch (error) {
      return refuse(`line ${index + 1} of the recording is not JSON: ${error.message}`);
    }
  });

const started = performance.now();
let due = 0;
for (const step of steps) {
  due += (step.delay ?? 0) * 1000;
  const wait = started + due - performance.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  perform(step);
}
