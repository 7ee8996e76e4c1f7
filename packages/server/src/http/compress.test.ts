import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Encoding } from './accept-encoding.ts'
import { compressorOf } from './compress.ts'

const decompressors = { br: createBrotliDecompress, gzip: createGunzip }

async function exchange(
  encoding: Encoding,
  finished: (end: () => void) => void,
): Promise<{ compressor: Transform; incoming: IncomingMessage }> {
  const server = createServer()
  finished(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const outgoing = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  const [, response] = await once(server, 'request')
  const compressor = compressorOf(encoding, response)
  response.flushHeaders()
  const [incoming] = await once(outgoing, 'response')
  return { compressor, incoming }
}

test.for(['br', 'gzip'] as const)(
  '%s: each piece of a long answer is there before the next is written',
  async (encoding, { onTestFinished }) => {
    const { compressor, incoming } = await exchange(encoding, onTestFinished)
    const read = incoming.pipe(decompressors[encoding]()).setEncoding('utf8')
    for (const piece of ['{"data":[', 'one', ',two']) {
      compressor.write(piece)
      expect(await once(read, 'data')).toEqual([piece])
    }
    compressor.end(']}')
    expect(await once(read, 'data')).toEqual([']}'])
    await once(read, 'end')
  },
)

test('a reader that goes away ends it', async ({ onTestFinished }) => {
  const { compressor, incoming } = await exchange('gzip', onTestFinished)
  compressor.write('one')
  const closed = new Promise((resolve) => compressor.once('close', resolve))
  incoming.destroy()
  await closed
  expect(compressor.destroyed).toBe(true)
})
