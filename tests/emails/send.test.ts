import { generateKeyPairSync } from 'node:crypto'
import { SMTPServer } from 'smtp-server'
import { expect, test } from 'vitest'
import { atEnd } from '../harness/at-end.ts'
import { startApp } from '../harness/app.ts'
import { lettersOf } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

const hourMs = 3_600_000

const later = { responseCode: 451, message: '4.3.2 Later' }

/** Takes nothing while it is in a mood, in which it says 451 or takes no password; 550 to whom it does not know. */
async function moodyServer(password?: string) {
  const mood = { isBad: true }
  const taken: string[] = []
  const server = new SMTPServer({
    authOptional: password === undefined,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: (given, _session, done) =>
      mood.isBad
        ? done(Object.assign(new Error('5.7.8 Wrong'), { responseCode: 535 }))
        : done(null, { user: given.username }),
    onRcptTo({ address }, _session, done) {
      if (address.startsWith('unknown')) done(Object.assign(new Error('5.1.1 No such mailbox'), { responseCode: 550 }))
      else if (mood.isBad) done(Object.assign(new Error(later.message), later))
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
  atEnd(() => new Promise<void>((resolve) => server.close(resolve)))
  const { port } = server.server.address() as { port: number }
  return { url: `smtp://${password === undefined ? '' : `acme:${password}@`}127.0.0.1:${port}`, mood, taken }
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

test.each([
  // As often as a step is tried that fails for another reason.
  ['is busy', 4, undefined, later.message],
  ['does not take our password', 1, 'secret', '5.7.8 Wrong'],
])('a mail server that %s makes a letter later, and none that has failed', async (_what, attempts, password, said) => {
  const smtp = await moodyServer(password)
  const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'hello@acme.example' } })
  const { person, sequence, begin, workflows } = lettersOf(app)
  const run = await begin(await sequence({ subject: 'A', text: 'B' }), await person('ada@example.com'))
  const emails = async () => (await app.api.get(`/workspaces/acme/emails?filter[run]=${run}`)).body.data
  for (let failures = 1; failures <= attempts; failures++) {
    const [{ attributes }, letters] = await workflows.until(async () => {
      const found = [await workflows.run(run), await emails()] as const
      return (
        found[0].attributes.steps.at(-1)?.attempts >= failures && found[1][0].attributes.state === 'deferred' && found
      )
    })
    expect(attributes).toMatchObject({ status: 'retrying', steps: [{ error: { code: 'mail_deferred' } }] })
    expect(Date.parse(attributes.resume_at) - app.now()).toBeLessThanOrEqual(hourMs)
    expect(letters).toMatchObject([{ attributes: { error: expect.stringContaining(said), sent_at: null } }])
    smtp.mood.isBad = failures < attempts
    await app.advance(hourMs)
  }
  expect((await workflows.runIn(run)).attributes).toMatchObject({ status: 'success' })
  expect(await emails()).toMatchObject([{ attributes: { state: 'sent', error: null } }])
  expect(smtp.taken).toEqual(['ada@example.com'])
})

test('says of a letter that was refused for good why, and suppresses an address that there is not', async () => {
  const smtp = await moodyServer()
  smtp.mood.isBad = false
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
