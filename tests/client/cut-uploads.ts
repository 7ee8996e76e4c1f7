import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from '../harness/at-end.ts'

/** A fault that happens to an upload instead of reaching the storage. */
type Fault = (upload: IncomingMessage, answer: ServerResponse) => void

/** Breaks the connection when the first bytes have come. */
export const cut: Fault = (upload) => void upload.once('data', () => upload.destroy())

export const refuse =
  (status: number): Fault =>
  (upload, answer) =>
    void upload.resume().on('end', () => answer.writeHead(status).end())

/** A proxy before a server that is started afterwards, since its addresses are those of the proxy. */
export async function proxyBefore() {
  let target = ''
  let uploads = 0
  const faults: Fault[] = []
  const server = createServer((incoming, answer) => {
    const { method, headers, url = '' } = incoming
    const isUpload = method === 'PUT' && url.includes('/files/')
    const fault = isUpload ? faults.shift() : undefined
    if (isUpload) uploads++
    if (fault !== undefined) return fault(incoming, answer)
    const forwarded = request(new URL(url, target), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    forwarded.on('error', () => answer.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => void server.close())
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo: (origin: string) => void (target = origin),
    /** The next uploads meet these, in turn. */
    meet: (...next: Fault[]) => {
      uploads = 0
      faults.push(...next)
    },
    uploads: () => uploads,
  }
}
