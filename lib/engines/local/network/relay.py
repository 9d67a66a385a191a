"""Leads ports of a network namespace to a Unix socket outside of it: relay.py SOCKET ADDRESS:PORT…"""
import asyncio
import sys

MOST_CONNECTIONS = 256

open_connections = 0


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except (OSError, asyncio.IncompleteReadError):
        pass


async def serve(reader, writer):
    global open_connections
    if open_connections >= MOST_CONNECTIONS:
        writer.close()
        return
    open_connections += 1
    outside = None
    try:
        from_outside, outside = await asyncio.open_unix_connection(sys.argv[1])
        await asyncio.gather(copy(reader, outside), copy(from_outside, writer))
    except OSError:
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n")
    finally:
        open_connections -= 1
        for stream in (writer, outside):
            if stream:
                stream.close()


async def main():
    places = [place.rsplit(":", 1) for place in sys.argv[2:]]
    servers = [await asyncio.start_server(serve, address, int(port)) for address, port in places]
    await asyncio.gather(*(server.serve_forever() for server in servers))


asyncio.run(main())
