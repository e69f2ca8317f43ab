/** The upper limit: bare `node:http` that only writes fixed bytes of the right size. */
import { createServer, type Server } from "node:http"
import type { PeerStore } from "./store.ts"

export const startLimit = (store: PeerStore): Server => {
  const page = JSON.stringify(store.page({ limit: 19, status: undefined, after: 0 }))
  const large = JSON.stringify(store.page({ limit: 99, status: "sold", after: 0 }))
  const pet = JSON.stringify(store.find(1))
  const headers = (body: string) => ["Content-Type", "application/json", "Content-Length", String(Buffer.byteLength(body))]
  const [pageAnswer, largeAnswer, petAnswer] = [page, large, pet].map((body) => ({ body, headers: headers(body) }))
  return createServer((request, response) => {
    const { method, url = "" } = request
    const send = () => {
      const fixed = url.includes("limit=100")
        ? largeAnswer
        : method === "POST" || url.startsWith("/v1/pets/")
          ? petAnswer
          : pageAnswer
      response.writeHead(method === "POST" ? 201 : 200, fixed?.headers)
      response.end(fixed?.body)
    }
    if (method === "GET") send()
    else request.on("data", () => undefined).on("end", send)
  }).listen(0, "127.0.0.1")
}
