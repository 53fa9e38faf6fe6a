"""Calls tools of a server for agents with the official client, and prints what came back.

Arguments: a list of calls as JSON, `[["resolve", {"specs": ["H100"]}]]`, then the command of the server.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters, stdio_client


async def main(calls, command):
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        greeting = await session.initialize()
        tools = await session.list_tools()
        resources = await session.list_resources()
        texts = {}
        for resource in resources.resources:
            contents = await session.read_resource(resource.uri)
            texts[str(resource.uri)] = contents.contents[0].text
        answers = []
        for name, arguments in calls:
            result = await session.call_tool(name, arguments)
            answers.append(
                {
                    "is_error": bool(result.is_error),
                    "structured": result.structured_content,
                    "text": json.loads(result.content[0].text),
                }
            )
    print(
        json.dumps(
            {
                "server": greeting.server_info.name,
                "tools": [tool.name for tool in tools.tools],
                "resources": texts,
                "answers": answers,
            }
        )
    )


asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2:]))
