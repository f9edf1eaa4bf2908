// A scripted model: the one thing that tests stand in for. Speaks just enough of the Messages API
// (Claude Code) and of the Responses API (Codex) to drive the real command lines through two turns:
// a shell command, then a closing sentence. Prints the port that it listens on.
//
//   node endpoint.mjs MODE [COMMAND]     MODE: ok, or an HTTP status to answer every request with
import http from "node:http";

const mode = process.argv[2] ?? "ok";
const COMMAND = process.argv[3] ?? "echo 'it works' > made.txt";
const CLOSING = "I wrote made.txt.";

const REFUSALS = {
  400: { type: "invalid_request_error", message: "prompt is too long: 250000 tokens > 200000 maximum" },
  401: { type: "authentication_error", message: "invalid x-api-key" },
  429: { type: "rate_limit_error", message: "This request would exceed your rate limit." },
  500: { type: "api_error", message: "Internal server error" },
  529: { type: "overloaded_error", message: "Overloaded" },
};

const sse = (response, events) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const data of events) response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
  response.end();
};

function messages(body) {
  const answered = JSON.stringify(body.messages ?? []).includes('"tool_result"');
  const usage = { input_tokens: 120, cache_creation_input_tokens: 30, cache_read_input_tokens: 400, output_tokens: 1 };
  const [start, delta] = answered || !body.tools?.length
    ? [{ type: "text", text: "" }, { type: "text_delta", text: CLOSING }]
    : [
        { type: "tool_use", id: "toolu_01", name: "Bash", input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify({ command: COMMAND, description: "Write a file" }) },
      ];
  const stop = start.type === "text" ? "end_turn" : "tool_use";
  return [
    { type: "message_start", message: { id: `msg_${Date.now()}`, type: "message", role: "assistant", model: body.model, content: [], stop_reason: null, stop_sequence: null, usage } },
    { type: "content_block_start", index: 0, content_block: start },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 25 } },
    { type: "message_stop" },
  ];
}

function responses(body) {
  const answered = JSON.stringify(body.input ?? []).includes("_call_output");
  const names = (body.tools ?? []).map((tool) => tool.name);
  const shell = names.includes("exec_command")
    ? ["exec_command", { cmd: COMMAND }]
    : ["shell_command", { command: COMMAND }];
  const items = answered
    ? [{ type: "message", role: "assistant", id: "msg_1", content: [{ type: "output_text", text: CLOSING }] }]
    : [
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "**Writing the file**" }] },
        { type: "function_call", id: "fc_1", call_id: "call_1", name: shell[0], arguments: JSON.stringify(shell[1]) },
      ];
  const id = `resp_${Date.now()}`;
  return [
    { type: "response.created", response: { id } },
    ...items.map((item) => ({ type: "response.output_item.done", item })),
    {
      type: "response.completed",
      response: {
        id,
        usage: {
          input_tokens: 500, input_tokens_details: { cached_tokens: 350 },
          output_tokens: 40, output_tokens_details: { reasoning_tokens: 16 }, total_tokens: 540,
        },
      },
    },
  ];
}

http
  .createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      if (mode !== "ok") {
        response.writeHead(Number(mode), { "content-type": "application/json" });
        return response.end(JSON.stringify({ type: "error", error: REFUSALS[mode] }));
      }
      const body = text ? JSON.parse(text) : {};
      if (request.url.includes("/messages")) return sse(response, messages(body));
      if (request.url.includes("/responses")) return sse(response, responses(body));
      response.writeHead(404);
      response.end();
    });
  })
  .on("upgrade", (request, socket) => socket.end("HTTP/1.1 426 Upgrade Required\r\n\r\n"))
  .listen(0, function () {
    console.log(this.address().port);
  });
