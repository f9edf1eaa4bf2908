// Renders what it is asked to: a line of JSON {template, context} in, {output} or {error} out.
const readline = require("node:readline");
const handlebars = require("handlebars");

handlebars.logger.level = 99;
const lines = readline.createInterface({ input: process.stdin, terminal: false });
lines.on("line", (line) => {
  const { template, context } = JSON.parse(line);
  let answer;
  try {
    answer = { output: handlebars.compile(template, { noEscape: true })(context) };
  } catch (error) {
    answer = { error: String(error.message) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
