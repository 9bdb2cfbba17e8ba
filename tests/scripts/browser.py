"""A headless Chromium, driven over its debugging pipe (no network, no further packages): pages, clicks, keys, pictures.

    with Browser() as browser:
        browser.size(1280, 900)
        browser.open('/tmp/report.html')
        browser.evaluate('document.title')
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time


def find():
    """The browser's executable, or None."""
    for name in ('chromium', 'chromium-browser', 'google-chrome'):
        if path := shutil.which(name):
            return path
    return None


class Browser:
    def __init__(self):
        self._home = tempfile.mkdtemp(prefix='warplens-browser-')
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        def hand_over():  # Chromium reads from descriptor 3 and writes to 4
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(
            [find(), '--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run',
             '--disable-dev-shm-usage', '--force-color-profile=srgb', '--disable-background-networking',
             '--remote-debugging-pipe', f'--user-data-dir={self._home}', 'about:blank'],
            preexec_fn=hand_over, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._number, self._session, self.events = b'', 0, None, []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self._session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Network', 'Log'):
            self.call(f'{domain}.enable')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self._home, ignore_errors=True)

    def _message(self):
        while b'\0' not in self._buffer:
            part = os.read(self._read, 1 << 20)
            if not part:
                raise RuntimeError('the browser went away')
            self._buffer += part
        text, self._buffer = self._buffer.split(b'\0', 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self._number += 1
        message = {'id': self._number, 'method': method, 'params': parameters}
        if self._session:
            message['sessionId'] = self._session
        rest = json.dumps(message).encode() + b'\0'
        while rest:
            rest = rest[os.write(self._write, rest):]
        while True:
            answer = self._message()
            if answer.get('id') == self._number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]["message"]}')
                return answer['result']
            if 'method' in answer:
                self.events.append(answer)

    def evaluate(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            detail = result['exceptionDetails']
            raise RuntimeError(detail.get('exception', {}).get('description') or detail['text'])
        return result['result'].get('value')

    def size(self, width, height, scale=1):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=scale,
                  mobile=width < 600)

    def theme(self, name):
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': name}])

    def open(self, path, fragment=''):
        """Loads a page from disk anew, and waits until it has drawn itself; gives the seconds that this took."""
        self.call('Page.navigate', url='about:blank')
        self.events.clear()
        begin = time.monotonic()
        self.call('Page.navigate', url=pathlib.Path(path).resolve().as_uri() + fragment)
        while not self.evaluate('document.readyState === "complete" && !location.href.startsWith("about:")'):
            time.sleep(0.01)
        self.drawn()
        return time.monotonic() - begin

    def go(self, fragment):
        self.evaluate(f'location.hash = {json.dumps(fragment)}')
        self.drawn()

    def drawn(self):
        """Waits for two frames: what was asked for is on the screen."""
        self.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))')

    def key(self, key):
        text = {'Enter': '\r'}.get(key, key if len(key) == 1 else '')
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, text=text,
                  windowsVirtualKeyCode={'Enter': 13, 'Escape': 27, 'Tab': 9}.get(key, 0))
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key)
        self.drawn()

    def click(self, selector):
        x, y = self.evaluate(f'''(() => {{ const e = document.querySelector({json.dumps(selector)});
            e.scrollIntoView({{block: "center"}}); const r = e.getBoundingClientRect();
            return [r.left + r.width / 2, r.top + r.height / 2]; }})()''')
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)
        self.drawn()

    def screenshot(self, path, whole=False):
        picture = self.call('Page.captureScreenshot', captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(picture['data']))

    def pdf(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call('Page.printToPDF', printBackground=True)['data']))
