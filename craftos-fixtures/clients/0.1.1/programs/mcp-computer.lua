local VERSION = '0.1.1';
local HELLO_TIMEOUT = 5;

local function printUsage()
  print('Usage:');
  print('  mcp-computer <ws-url>');
  print('  mcp-computer -url <ws-url>');
  print('  mcp-computer --version');
  print('  mcp-computer --help');
end

local function getLabel()
  local label = os.getComputerLabel();
  if not label or label == '' then
    label = 'null';
  end
  return tostring(label);
end

local function formatComputer()
  return tostring(os.getComputerID()) .. ' (Label: ' .. getLabel() .. ')';
end

local function parseUrl(args)
  if args[1] == '-url' then
    return args[2];
  end
  return args[1];
end

local function decode(message)
  local ok, frame = pcall(textutils.unserializeJSON, message);
  if ok and type(frame) == 'table' then
    return frame;
  end
  return nil;
end

local function handleRequest(request)
  if request.method == 'ping' then
    return { type = 'response', id = request.id, ok = true, result = 'pong from ' .. formatComputer() };
  end
  return { type = 'response', id = request.id, ok = false, error = 'unknown method' };
end

local function waitForHelloOk(ws)
  local message = ws.receive(HELLO_TIMEOUT);
  local frame = message and decode(message);
  return frame ~= nil and frame.type == 'hello-ok';
end

local function serve(ws)
  while true do
    local ok, message = pcall(ws.receive);
    if not ok or not message then
      return;
    end
    local frame = decode(message);
    if frame and frame.type == 'request' and frame.id then
      ws.send(textutils.serializeJSON(handleRequest(frame)));
    end
  end
end

local args = { ... };
local command = args[1];

if command == '--help' or command == '-help' or command == 'help' then
  printUsage();
  return;
end

if command == '--version' or command == '-version' or command == 'version' then
  print('mcp-computer v' .. VERSION);
  return;
end

local url = parseUrl(args);
if not url then
  printUsage();
  return;
end

if not http or not http.websocket then
  error('HTTP and WebSocket must be enabled in the configuration of CC:Tweaked', 0);
end

print('mcp-computer v' .. VERSION .. ' connecting to ' .. url);

local ws, err = http.websocket(url);
if not ws then
  error('failed to connect: ' .. tostring(err), 0);
end

ws.send(textutils.serializeJSON({
  type = 'hello',
  computerId = os.getComputerID(),
  computerLabel = os.getComputerLabel(),
}));

if not waitForHelloOk(ws) then
  ws.close();
  error('the bridge did not answer the hello', 0);
end

print('linked as ' .. formatComputer());
print('waiting for requests... Press Ctrl+T to stop.');

parallel.waitForAny(
  function() serve(ws) end,
  function() os.pullEventRaw('terminate') end
);

pcall(ws.close);
print('disconnected.');
