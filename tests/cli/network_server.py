"""The server of network.sh: answers that do not depend on time. Prints its port."""
import gzip
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def answer(self, status, body=b'', **headers):
        self.send_response_only(status)
        for name, value in headers.items():
            for one in value if isinstance(value, list) else [value]:
                self.send_header(name.replace('_', '-'), one)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def do(self):
        sent = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        place, _, query = self.path.partition('?')
        name = place.split('/')[1]
        if name == 'hello':
            self.answer(200, b'hello\n', Content_Type='text/plain', ETag='"x"',
                        Last_Modified='Wed, 21 Oct 2015 07:28:00 GMT')
        elif name == 'status':
            self.answer(int(place[8:]), b'status\n', Content_Type='text/plain')
        elif name == 'redirect':
            left = int(place[10:])
            self.answer(302, b'moved\n', Location=f'/redirect/{left - 1}' if left else '/hello')
        elif name == 'to':
            status, _, target = query.partition(',')
            self.answer(int(status), b'go\n', Location=target)
        elif name == 'gzip':
            self.answer(200, gzip.compress(b'packed\n' * 3, mtime=0), Content_Encoding='gzip')
        elif name == 'cookie':
            self.answer(200, f'cookie: {self.headers.get("Cookie")}\n'.encode(),
                        Set_Cookie=['a=1; Path=/', 'b=2; Path=/; HttpOnly', 'c=3; Path=/other'])
        elif name == 'named':
            self.answer(200, b'named\n', Content_Disposition='attachment; filename="na me.txt"')
        elif name == 'big':
            self.answer(200, b'0123456789abcdef' * 65536)
        elif name == 'json':
            self.answer(200, b'{"b":1,"a":[true,null]}', Content_Type='application/json')
        elif name == 'range':
            self.range(b'0123456789')
        elif name == 'echo':
            lines = [f'{self.command} {self.path}']
            lines += [f'{k}: {v}' for k, v in self.headers.items() if k not in ('Host', 'Connection')]
            self.answer(200, '\n'.join(lines).encode() + b'\n\n' + sent)
        elif name == 'chunked':
            self.send_response_only(200)
            self.send_header('Transfer-Encoding', 'chunked')
            self.end_headers()
            self.wfile.write(b'5\r\nab\n\nc\r\n1\r\n\n\r\n0\r\n\r\n')
        elif name == 'short':
            self.send_response_only(200)
            self.send_header('Content-Length', '100')
            self.end_headers()
            self.wfile.write(b'only this\n')
            self.close_connection = True
        elif name == 'empty':
            self.close_connection = True
        elif name == 'hang':
            self.rfile.read(1)
        else:
            self.answer(404, b'not here\n', Content_Type='text/plain')

    def range(self, data):
        asked = self.headers.get('Range')
        if not asked:
            self.answer(200, data)
            return
        first, _, last = asked[6:].partition('-')
        if int(first) >= len(data):
            self.answer(416, b'', Content_Range=f'bytes */{len(data)}')
            return
        part = data[int(first):int(last) + 1 if last else None]
        self.answer(206, part, Content_Range=f'bytes {first}-{int(first) + len(part) - 1}/{len(data)}')

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do


server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
