import { generateKeyPairSync } from 'node:crypto'
import { SMTPServer } from 'smtp-server'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { lettersOf } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

/** Says 451 so often before it takes a letter, and 550 to whom it does not know. */
async function moodyServer(refusals: number) {
  let left = refusals
  const taken: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      if (address.startsWith('unknown')) done(Object.assign(new Error('5.1.1 No such mailbox'), { responseCode: 550 }))
      else if (left-- > 0) done(Object.assign(new Error('4.3.2 Later'), { responseCode: 451 }))
      else done()
    },
    onData(stream, { envelope }, done) {
      stream.resume()
      stream.on('end', () => {
        taken.push(...envelope.rcptTo.map(({ address }) => address))
        done()
      })
    },
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  afterAll(() => new Promise<void>((resolve) => server.close(resolve)))
  const { port } = server.server.address() as { port: number }
  return { url: `smtp://127.0.0.1:${port}`, taken }
}

test('signs letters by DKIM, what unsubscribes included', async () => {
  const smtp = await mailServer()
  const app = await startApp({
    mail: {
      smtpUrl: smtp.url,
      from: 'Acme <hello@acme.example>',
      dkim: { domain: 'acme.example', selector: 'kontor', privateKey },
    },
  })
  const letters = lettersOf(app)
  await letters.write(await letters.person('ada@example.com'), { subject: 'A', text: 'B' })
  const { raw } = await smtp.next()
  const head =
    raw
      .toString()
      .split('\r\n\r\n')[0]
      ?.replaceAll(/\r\n[ \t]+/g, ' ') ?? ''
  const [signature = ''] = head.match(/^DKIM-Signature: .*$/m) ?? []
  expect(signature).toContain('d=acme.example; q=dns/txt; s=kontor;')
  expect(signature).toMatch(/h=[^;]*list-unsubscribe:list-unsubscribe-post/i)
})

test('tries again where the mail server is busy, and sends once', async () => {
  const smtp = await moodyServer(1)
  const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'hello@acme.example' } })
  const letters = lettersOf(app)
  const letter = await letters.write(await letters.person('ada@example.com'), { subject: 'A', text: 'B' })
  expect(letter.state).toBe('sent')
  expect(smtp.taken).toEqual(['ada@example.com'])
})

test('says of a letter that was refused for good why, and suppresses an address that there is not', async () => {
  const smtp = await moodyServer(0)
  const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'hello@acme.example' } })
  const { person, sequence, begin, workflows } = lettersOf(app)
  const run = await begin(await sequence({ subject: 'A', text: 'B' }), await person('unknown@example.com'))
  expect((await workflows.runIn(run)).attributes).toMatchObject({ status: 'failed' })
  const { body } = await app.api.get(`/workspaces/acme/emails?filter[run]=${run}`)
  expect(body.data).toMatchObject([{ attributes: { state: 'refused', bounce: 'hard', sent_at: null } }])
  expect(body.data[0].attributes.error).toContain('No such mailbox')
  const { body: suppressed } = await app.api.get('/workspaces/acme/suppressions')
  expect(suppressed.data).toMatchObject([{ attributes: { address: 'unknown@example.com', reason: 'bounced' } }])
})
