// Before Prism starts: it is not to look for code in the page by itself.
(globalThis as unknown as { Prism: object }).Prism = { manual: true };
