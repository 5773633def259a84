"""The Python SDK's client, in both eras. Usage: python_sdk.py URL"""

import asyncio
import json
import sys

from mcp import Client


async def check(url: str, mode: str) -> None:
    async with Client(url, mode=mode) as client:
        tools = (await client.list_tools()).tools
        names = ["probe-computers", "exec-lua", "list-computers", "start-lua", "job-status", "job-output", "job-result"]
        assert [tool.name for tool in tools] == [*names, "cancel-job", "list-jobs"], tools
        probed = await client.call_tool("probe-computers", {})
        assert probed.content[0].text == "pong from 12 (Label: base-turtle)", probed
        ran = await client.call_tool("exec-lua", {"computerId": 12, "code": "return 7"})
        assert ran.structured_content["returns"] == [{"type": "number", "value": 7}], ran
        failed = await client.call_tool("exec-lua", {"computerId": 12, "code": "error('boom')"})
        assert failed.is_error and failed.structured_content["error"] == "mcp-exec:1: boom", failed
        progress = []

        async def on_progress(done, total, message):
            progress.append(message)

        await client.call_tool(
            "exec-lua", {"computerId": 12, "code": "print('hello')"}, progress_callback=on_progress
        )
        assert progress == ["hello\n"], progress
        read = await client.read_resource("computer://12")
        assert json.loads(read.contents[0].text)["label"] == "base-turtle", read


async def main() -> None:
    for mode in ("legacy", "2026-07-28", "auto"):
        await check(sys.argv[1], mode)


asyncio.run(main())
