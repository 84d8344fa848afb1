#!/usr/bin/env python3
"""Creates a bot from documents, or adds documents to one, and shows the progress until all are indexed.

Needs Python 3.8 and nothing else. The exit code is 0 only if every document was indexed.
"""

import argparse
import http.client
import json
import os
import shutil
import signal
import ssl
import sys
import time
import unicodedata
import uuid
from urllib.parse import quote, urlsplit

ENDED = ('complete', 'error', 'canceled')
BLOCK = 1 << 20
# Seconds during which a platform that restarts is waited for.
PATIENCE = 120


class Failure(Exception):
    """Ends the program with a message."""


class Refused(Failure):
    """The platform answered with an error."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Platform:
    """A client of the index API."""

    def __init__(self, url, key):
        parts = urlsplit(url)
        if parts.scheme not in ('http', 'https') or not parts.hostname:
            raise Failure('the address of the platform must be like http://127.0.0.1:5500, not %r' % url)
        if parts.username or parts.password:
            raise Failure('the address must not contain a user name or password; pass the key with --key')
        self.parts = parts
        self.url = '%s://%s' % (parts.scheme, parts.netloc)
        self.base = parts.path.rstrip('/')
        if self.base.endswith('/v1'):
            self.base = self.base[:-3]
        self.key = key

    def connect(self):
        port = self.parts.port
        if self.parts.scheme == 'https':
            return http.client.HTTPSConnection(
                self.parts.hostname, port, timeout=600, context=ssl.create_default_context()
            )
        return http.client.HTTPConnection(self.parts.hostname, port, timeout=600)

    def call(self, method, path, value=None):
        """Sends JSON, or nothing, and returns what the platform answers."""
        if value is None:
            return self.send(method, path, None, [], 0)
        body = json.dumps(value).encode()
        return self.send(method, path, 'application/json', [body], len(body))

    def send(self, method, path, content_type, blocks, length):
        connection = self.connect()
        try:
            try:
                connection.putrequest(method, self.base + path)
                if self.key:
                    connection.putheader('Authorization', 'Bearer ' + self.key)
                if content_type:
                    connection.putheader('Content-Type', content_type)
                connection.putheader('Content-Length', str(length))
                connection.endheaders()
                try:
                    for block in blocks:
                        connection.send(block)
                except (BrokenPipeError, ConnectionResetError):
                    # The platform may have refused the upload; its answer says why.
                    pass
                response = connection.getresponse()
                return self.read(response.status, response.read())
            except (OSError, http.client.HTTPException) as error:
                raise Unreachable('no platform answers at %s (%s)' % (self.url, error)) from error
        finally:
            connection.close()

    def read(self, status, data):
        try:
            answer = json.loads(data.decode('utf-8', 'replace'))
        except ValueError:
            answer = None
        if 200 <= status < 300 and answer is not None:
            return answer
        message = None
        if isinstance(answer, dict):
            message = answer.get('error') or answer.get('detail')
        if isinstance(message, dict):
            message = message.get('message')
        if not isinstance(message, str):
            message = '%s answered with status %d' % (self.url, status)
        if status == 401:
            message += '; pass a key with --key or set ROUNDHOUSE_API_KEY'
        raise Refused(status, message)


class Unreachable(Failure):
    """Nothing answered. It may be restarting."""


def find_files(path):
    """The file, or all files below the folder but hidden ones, with the names that the bot gives them."""
    if os.path.isfile(path):
        return [(path, os.path.basename(path))]
    if not os.path.isdir(path):
        raise Failure('no such file or folder: %s' % path)
    found = []

    def fail(error):
        raise Failure("%s can't be read (%s)" % (error.filename, error.strerror))

    for folder, folders, names in os.walk(path, onerror=fail):
        folders[:] = sorted(name for name in folders if not name.startswith('.'))
        for name in sorted(names):
            full = os.path.join(folder, name)
            if not name.startswith('.') and os.path.isfile(full):
                found.append(full)
    if not found:
        raise Failure('there are no files in %s' % path)
    counts = {}
    for full in found:
        name = os.path.basename(full)
        counts[name] = counts.get(name, 0) + 1
    # Names are unique within a bot, so equal ones also get the names of their folders.
    named = []
    for full in found:
        name = os.path.basename(full)
        if counts[name] > 1:
            name = os.path.relpath(full, path).replace(os.sep, ' - ')
        named.append((full, name))
    if len({name for _, name in named}) < len(named):
        raise Failure('some files have the same name: rename them')
    return named


class Form:
    """A multipart form whose files are read while they are sent."""

    def __init__(self):
        self.boundary = 'roundhouse-' + uuid.uuid4().hex
        self.parts = []

    def text(self, name, value):
        self.parts.append((self.head('name="%s"' % name), value.encode(), None, 0))

    def file(self, name, path, filename):
        # macOS gives decomposed names; the composed form is what people type and search for.
        plain = unicodedata.normalize('NFC', os.fsencode(filename).decode('utf-8', 'replace'))
        for character, escape in (('"', '%22'), ('\r', '%0D'), ('\n', '%0A')):
            plain = plain.replace(character, escape)
        head = self.head(
            'name="%s"; filename="%s"' % (name, plain), 'Content-Type: application/octet-stream\r\n'
        )
        self.parts.append((head, b'', path, os.path.getsize(path)))

    def head(self, disposition, more=''):
        text = '--%s\r\nContent-Disposition: form-data; %s\r\n%s\r\n' % (self.boundary, disposition, more)
        return text.encode()

    def end(self):
        return ('--%s--\r\n' % self.boundary).encode()

    def length(self):
        return sum(len(head) + len(value) + size + 2 for head, value, _, size in self.parts) + len(self.end())

    def blocks(self, on_bytes):
        for head, value, path, size in self.parts:
            yield head + value
            if path is not None:
                yield from read_blocks(path, size, on_bytes)
            yield b'\r\n'
        yield self.end()


def read_blocks(path, size, on_bytes):
    """Exactly as many bytes as were announced: another program may be writing the file."""
    left = size
    with open(path, 'rb') as file:
        while left > 0:
            block = file.read(min(BLOCK, left))
            if not block:
                raise Failure('%s became shorter while it was read; try again' % path)
            left -= len(block)
            on_bytes(len(block))
            yield block


class Line:
    """One line that is redrawn on a terminal. Elsewhere, a line per change."""

    def __init__(self, out, quiet):
        self.out = out
        self.quiet = quiet
        self.live = out.isatty()
        self.shown = ''
        self.at = 0.0

    def show(self, text, always=True):
        if self.quiet or text == self.shown:
            return
        if self.live:
            room = shutil.get_terminal_size().columns - 1
            self.out.write('\r\x1b[K' + text[:room])
            self.out.flush()
        elif always or time.monotonic() - self.at > 5:
            self.out.write(text + '\n')
            self.at = time.monotonic()
        self.shown = text

    def clear(self):
        if self.live and self.shown:
            self.out.write('\r\x1b[K')
            self.out.flush()
        self.shown = ''


def bar(share):
    filled = round(max(0.0, min(1.0, share)) * 24)
    return '█' * filled + '░' * (24 - filled) + ' %3d %%' % int(share * 100)


def describe(status):
    """The progress of a command: documents, and chunks of the current one."""
    progress = status.get('progress')
    if not progress or not progress['documents']['total']:
        return 'waiting to start …' if status.get('status') == 'pending' else 'indexing …'
    documents, current = progress['documents'], progress['current_document']
    started = min(1.0, current['complete'] / current['total']) if current['total'] else 0.0
    done = documents['complete'] + (started if documents['complete'] < documents['total'] else 0.0)
    share = done / documents['total'] if documents['total'] else 0.0
    noun = 'document' if documents['total'] == 1 else 'documents'
    text = '%s  %d of %d %s' % (bar(share), documents['complete'], documents['total'], noun)
    if current['total']:
        text += ', chunk %d of %d' % (current['complete'], current['total'])
    return text


class Builder:
    def __init__(self, platform, bot, options):
        self.platform = platform
        self.bot = bot
        self.options = options
        self.refused = []
        self.line = Line(sys.stderr, options.json)
        self.path = '/indexapi/bot/' + quote(bot, safe='')

    def exists(self):
        try:
            self.platform.call('GET', self.path)
            return True
        except Refused as error:
            if error.status == 404:
                return False
            raise

    def start(self, files, sources):
        """Uploads, and returns the ids of the commands in the order in which they run."""
        options = self.options
        if self.exists() and not options.replace:
            if options.sync or options.at:
                raise Failure('the bot exists: --sync and --at need --replace, which rebuilds it')
            if options.user_story is not None:
                self.platform.call('PATCH', self.path, {'user_story': options.user_story})
            added = [self.add(file) for file in files] + [self.add_source(source) for source in sources]
            return [command for command in added if command is not None]
        form = Form()
        if options.user_story is not None:
            form.text('user_story', options.user_story)
        if options.sync:
            form.text('sync', '1')
        if options.at:
            form.text('time_to_eval', options.at)
        if not files:
            for source in sources:
                form.text('urls', source)
            return [self.put(self.path + '/urls', form)]
        for path, name in files:
            form.file('files', path, name)
        commands = [self.put(self.path, form)]
        commands += [self.add_source(source) for source in sources]
        return [command for command in commands if command is not None]

    def add(self, file):
        form = Form()
        form.file('file', *file)
        return self.try_put(file[1], self.path + '/document', form)

    def add_source(self, source):
        form = Form()
        form.text('url', source)
        return self.try_put(json.loads(source).get('url'), self.path + '/document_by_url', form)

    def try_put(self, name, path, form):
        """A document that is refused, because it is busy or too large, costs only itself."""
        try:
            return self.put(path, form)
        except Refused as error:
            if error.status not in (409, 413, 415, 422):
                raise
            self.refused.append({'name': name, 'error': str(error)})
            return None

    def put(self, path, form):
        length = form.length()
        sent = [0]

        def on_bytes(count):
            sent[0] += count
            text = '%s  uploading, %.1f of %.1f MB' % (bar(sent[0] / length), sent[0] / 1e6, length / 1e6)
            self.line.show(text, always=False)

        content_type = 'multipart/form-data; boundary=' + form.boundary
        answer = self.platform.send('PUT', path, content_type, form.blocks(on_bytes), length)
        self.line.clear()
        return answer['command_id']

    def follow(self, command, following):
        path = self.command_path(command)
        while True:
            try:
                status = self.status(path)
                self.line.show(describe(status))
                if status.get('status') in ENDED:
                    return status
                time.sleep(0.3)
            except KeyboardInterrupt:
                self.interrupted([command] + following)

    def status(self, path):
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return self.platform.call('GET', path)
            except Unreachable:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)

    def command_path(self, command):
        return '%s/command/%s' % (self.path, quote(command, safe=''))

    def interrupted(self, commands):
        """Ctrl+C: cancel the commands that have not ended, or leave them alone."""
        self.line.clear()
        if sys.stdin.isatty() and sys.stderr.isatty():
            try:
                sys.stderr.write('\nCancel the indexing? The bot then stays as it was. [y/N] ')
                sys.stderr.flush()
                if sys.stdin.readline().strip().lower() in ('y', 'yes'):
                    for command in reversed(commands):
                        self.platform.call('DELETE', self.command_path(command))
                    return
            except KeyboardInterrupt:
                sys.stderr.write('\n')
        sys.stderr.write('Stopped watching; the indexing goes on (command %s).\n' % ', '.join(commands))
        sys.exit(130)

    def run(self, files, sources):
        try:
            commands = self.start(files, sources)
            ended = [self.follow(command, commands[at + 1 :]) for at, command in enumerate(commands)]
        finally:
            self.line.clear()
        return self.report(commands, ended)

    def report(self, commands, ended):
        results = [status.get('result') or {} for status in ended]
        added = [name for result in results for name in result.get('added', [])]
        skipped = [each for result in results for each in result.get('skipped', [])]
        failed = self.refused + [each for result in results for each in result.get('failed', [])]
        warnings = [each for result in results for each in result.get('warnings') or []]
        errors = [
            status.get('error') or 'the command ended as %s' % status['status']
            for status in ended
            if status['status'] != 'complete'
        ]
        whole = not failed and not errors
        if self.options.json:
            summary = {'bot': self.bot, 'commands': commands, 'added': added, 'skipped': skipped}
            summary.update({'failed': failed, 'warnings': warnings, 'errors': errors})
            print(json.dumps(summary, ensure_ascii=False, indent=2))
            return 0 if whole else 1
        counts = ['%d indexed' % len(added)]
        counts += ['%d skipped' % len(skipped)] if skipped else []
        counts += ['%d failed' % len(failed)] if failed else []
        print('%s: %s' % (self.bot, ', '.join(counts)))
        for each in skipped:
            print('  skipped %s: %s' % (each['name'], each['reason']))
        for each in warnings:
            print('  warning for %s: %s' % (each['name'], each['warning']))
        for each in failed:
            print('  failed %s: %s' % (each['name'], each['error']), file=sys.stderr)
        told = {'%s: %s' % (each['name'], each['error']) for each in failed}
        for error in dict.fromkeys(errors):
            if error not in told:
                print('  %s' % error, file=sys.stderr)
        if added:
            for note in self.platform.call('GET', self.path).get('notes') or []:
                print('  note: %s' % note)
            print('  page: %s%s/agent/%s' % (self.platform.url, self.platform.base, self.bot))
        return 0 if whole else 1


def source_of(text):
    """A link, a source descriptor as JSON, or @file with one, which keeps secrets off the command line."""
    if text.startswith(('http://', 'https://')):
        return json.dumps({'type': 'direct_link', 'url': text})
    try:
        if text.startswith('@'):
            with open(text[1:], encoding='utf-8') as file:
                text = file.read()
        value = json.loads(text)
        if isinstance(value, dict) and 'type' in value:
            return json.dumps(value)
    except (OSError, ValueError):
        # The text may contain a password, so the message does not repeat it.
        pass
    raise argparse.ArgumentTypeError('expected a link, a source descriptor as JSON, or @file with one')


def content_of(path):
    try:
        with open(path, encoding='utf-8') as file:
            return file.read().strip() or None
    except OSError:
        return None


def find_platform(options):
    """The address and the key. The key of this machine is never sent to another one."""
    data = options.data_dir or os.environ.get('ROUNDHOUSE_DATA_DIR') or 'data'
    own = content_of(os.path.join(data, 'address'))
    named = options.server or os.environ.get('ROUNDHOUSE_URL')
    url = named or own or 'http://127.0.0.1:5500'
    key = options.key or os.environ.get('ROUNDHOUSE_API_KEY')
    host = urlsplit(url).hostname or ''
    if not key and (host in ('localhost', '::1') or host.startswith('127.')):
        key = os.environ.get('ROUNDHOUSE_ADMIN_TOKEN') or content_of(os.path.join(data, 'admin-token'))
    return Platform(url, key)


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog='create_bot.py',
        description='Create a bot from documents and show the progress until all of them are indexed.',
        epilog='If the bot exists, the documents are added to it; --replace rebuilds it from these alone. '
        'Folders are read with everything below them, except hidden files. '
        'The exit code is 0 only if every document was indexed.',
    )
    parser.add_argument('bot_id', help='1 to 63 characters of a-z, 0-9, _ and -')
    parser.add_argument('path', nargs='?', help='a file, or a folder with documents')
    parser.add_argument(
        '--url', action='append', default=[], type=source_of, metavar='SOURCE',
        help='a link, a source descriptor as JSON, or @file with one; can be repeated',
    )  # fmt: skip
    parser.add_argument('--user-story', help='who uses the bot, and what matters in its answers')
    parser.add_argument('--sync', action='store_true', help='index before commands that are not urgent')
    parser.add_argument('--at', metavar='TIME', help='index no earlier than this: "YYYY-MM-DD HH:MM"')
    parser.add_argument('--replace', action='store_true', help='rebuild a bot that exists')
    parser.add_argument('--server', metavar='URL', help='address of the platform (default: $ROUNDHOUSE_URL)')
    parser.add_argument('--key', help="API key (default: $ROUNDHOUSE_API_KEY, else the local admin key)")
    parser.add_argument('--data-dir', metavar='FOLDER', help='data folder of the local platform')
    parser.add_argument('--json', action='store_true', help='print the result as JSON')
    options = parser.parse_args(arguments)
    if options.path is None and not options.url:
        parser.error('name a file or folder, or a source with --url')
    return options


def main(arguments=None):
    for stream in (sys.stdout, sys.stderr):
        # Names of files may have characters that the terminal's encoding lacks.
        if hasattr(stream, 'reconfigure'):
            stream.reconfigure(errors='backslashreplace')
    if hasattr(signal, 'SIGTERM'):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = parse(arguments)
    try:
        files = find_files(options.path) if options.path is not None else []
        return Builder(find_platform(options), options.bot_id, options).run(files, options.url)
    except Failure as error:
        print('create_bot.py: %s' % error, file=sys.stderr)
        return 1
    except OSError as error:
        print('create_bot.py: %s' % error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\nstopped while uploading; what had been accepted before is indexed', file=sys.stderr)
        return 130


if __name__ == '__main__':
    sys.exit(main())
