// Runs one validation script in a process of its own and gives it its `api`.
//
// Requests leave on stdout and answers come on stdin, one JSON document a line; what the script
// prints goes to stderr. The page under test is never in this process.
// Usage: node drive.mjs SCRIPT TICK_HZ|null
import { createInterface } from "node:readline";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [script, tickHz] = process.argv.slice(2);
const say = process.stdout.write.bind(process.stdout);
for (const name of ["log", "info", "debug", "table", "dir"]) console[name] = console.error;

const waiting = new Map();
let last = 0;
let begin;
const begun = new Promise((done) => { begin = done; });

createInterface({ input: process.stdin }).on("line", (line) => {
  const answer = JSON.parse(line);
  if (answer.begin) return begin();
  const { done, failed } = waiting.get(answer.id);
  waiting.delete(answer.id);
  if ("error" in answer) failed(new Error(answer.error));
  else done(answer.value);
}).on("close", () => process.exit(3));

const ask = (op, fields) => new Promise((done, failed) => {
  const id = ++last;
  waiting.set(id, { done, failed });
  say(`${JSON.stringify({ id, op, ...fields })}\n`);
});

// Trailing undefined arguments are left out: JSON would make nulls of them.
const call = (name, args) => {
  let given = args.length;
  while (given > 0 && args[given - 1] === undefined) given -= 1;
  return ask("call", { name, args: args.slice(0, given) });
};

const api = Object.freeze({
  tickHz: JSON.parse(tickHz),
  reset: (options) => call("reset", [options]),
  step: (amount) => call("step", [amount]),
  snapshot: () => call("snapshot", []),
  call: (name, ...args) => call(name, args),
  wait: (ms) => ask("wait", { ms }),
  screenshot: (output) => ask("screenshot", { output }),
  pixel: (u, v) => ask("pixel", { u, v }),
  userKey: (code) => ask("key", { code }),
  userClick: (x, y) => ask("click", { x, y }),
  audio: () => ask("audio", {}),
  probe: (names) => ask("probe", { names }),
});

const finish = (result) => {
  let line;
  try {
    line = JSON.stringify(result);
  } catch (error) {
    line = JSON.stringify({ failed: `what it returned has no JSON: ${error.message}` });
  }
  say(`${line}\n`, () => process.exit(0));
};

try {
  const { default: drive } = await import(pathToFileURL(resolve(script)).href);
  if (typeof drive !== "function") throw new Error("it default-exports no function");
  await begun;
  finish({ returned: (await drive(api)) ?? null });
} catch (error) {
  const thrown = Object(error);
  finish({
    failed: String(thrown.message ?? error),
    where: String(thrown.stack ?? "").split("\n").find((l) => l.includes("file://"))?.trim(),
    precondition: Boolean(thrown.ttcPreconditionUnmet),
  });
}
