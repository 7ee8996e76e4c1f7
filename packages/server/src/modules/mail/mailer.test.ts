import { generateKeyPairSync } from 'node:crypto'
import { createServer, type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, expect, test } from 'vitest'
import { smtpMailer } from './mailer.ts'

/** A mail server that hangs up. */
const server = createServer((socket) => void socket.destroy())
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => void server.close())
const smtpUrl = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

test('signs at most two e-mails with files at a time, since each is buffered completely', async () => {
  const mailer = smtpMailer({
    smtpUrl,
    from: 'crm@example.com',
    dkim: { domain: 'example.com', selector: 'a', privateKey },
  })
  const files: Readable[] = []
  let most = 0
  const open = async () => {
    files.push(Readable.from(['a file']))
    most = Math.max(most, files.filter(({ destroyed }) => !destroyed).length)
    return files.at(-1)!
  }
  const letters = Array.from({ length: 4 }, (_, n) =>
    mailer({
      to: `a${n}@example.com`,
      subject: 'Offer',
      text: 'See the file.',
      files: [{ name: 'a.txt', mimeType: null, open }],
    }).catch(() => 'not sent'),
  )
  expect(await Promise.all(letters)).toEqual(Array.from({ length: 4 }, () => 'not sent'))
  expect([most, files.length]).toEqual([2, 4])
})
