import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/**
 * A way to a Postgres of the tests by TCP that can be made to swallow everything: connections stand, and no byte comes.
 */
export async function swallowingProxy(url: string) {
  const target = join(new URL(url).searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const sockets = new Set<Socket>()
  let isSwallowing = false
  const pass = (from: Socket, to: Socket) => from.on('data', (chunk: Buffer) => void (isSwallowing || to.write(chunk)))
  const server = createServer((socket) => {
    const behind = connect(target)
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      sockets.add(one)
      pass(one, other)
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const through = new URL(url)
  through.searchParams.delete('host')
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: through.href, swallow: (should: boolean) => void (isSwallowing = should) }
}
