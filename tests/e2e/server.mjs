// A static host as plain as they come: the files of dist/ under a path, and no header beyond the content type.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** Serve `folder` under `path` (which starts and ends with a slash) on a free port: { url, close }. */
export async function serve(folder, path = "/") {
  const server = createServer(async (request, response) => {
    const pathname = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    let name = pathname.startsWith(path) ? pathname.slice(path.length) : "..";
    if (name === "" || name.endsWith("/")) name += "index.html";
    try {
      if (normalize(name).startsWith("..")) throw new Error("outside");
      const content = await readFile(join(folder, name));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(content);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" }).end("not here");
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}${path}`,
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  };
}
