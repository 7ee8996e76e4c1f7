import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { atEnd } from './at-end.ts'

/**
 * A way to a Postgres of the tests by TCP. It can be made to swallow everything: connections stand, and no byte comes.
 * Or it breaks a connection where a transaction has sent a text and is committed, so that the answer to the commit is
 * lost, or keeps that answer for a while.
 */
export async function swallowingProxy(url: string) {
  const target = join(new URL(url).searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const sockets = new Set<Socket>()
  let isSwallowing = false
  let awaited: { readonly text: string; readonly act: (socket: Socket, behind: Socket) => void } | undefined
  const kept = new Map<Socket, Buffer[]>()
  const pass = (from: Socket, to: Socket) =>
    from.on('data', (chunk: Buffer) => {
      if (isSwallowing) return
      const keeping = kept.get(from)
      if (keeping === undefined) to.write(chunk)
      else keeping.push(chunk)
    })
  const watchCommits = (socket: Socket, behind: Socket) => {
    let next: typeof awaited
    socket.prependListener('data', (chunk: Buffer) => {
      if (awaited === undefined || !chunk.includes(awaited.text)) return
      next = awaited
      awaited = undefined
    })
    behind.prependListener('data', (chunk: Buffer) => {
      if (next === undefined || !chunk.includes('COMMIT\0')) return
      next.act(socket, behind)
      next = undefined
    })
  }
  const server = createServer((socket) => {
    const behind = connect(target)
    watchCommits(socket, behind)
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
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const through = new URL(url)
  through.searchParams.delete('host')
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: through.href,
    swallow: (should: boolean) => void (isSwallowing = should),
    loseCommitAfter: (text: string) => void (awaited = { text, act: (socket) => socket.destroy() }),
    /** Returns a function that hands the answer over. */
    keepCommitAfter(text: string): () => void {
      let handOver: (() => void) | undefined
      const act = (socket: Socket, behind: Socket) => {
        const chunks: Buffer[] = []
        kept.set(behind, chunks)
        handOver = () => {
          kept.delete(behind)
          for (const chunk of chunks) socket.write(chunk)
        }
      }
      awaited = { text, act }
      return () => handOver?.()
    },
  }
}
