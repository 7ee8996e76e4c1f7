import { expect, test } from 'vitest'
import { EmailLimitReached, type SendRequest } from '../emails/index.ts'
import { MailFailure } from '../mail/index.ts'
import { blockChecks } from './testing/block-checks.ts'
import { answeredRecord, contextOf, StandIn, triedAt } from './testing/stand-in.ts'
import { sendEmail, type EmailSender } from './send-email.ts'

const input = { to: 'grace@example.com', subject: 'Your\nharbour', text: 'Hello.' }
const letters: SendRequest[] = []
const emails: EmailSender['emails'] = {
  async send(request) {
    letters.push(request)
    return {
      state: 'sent',
      emailId: request.key,
      messageId: `<${request.key}@a>`,
      isFirst: true,
      suppressed: [],
      rejected: [],
    }
  },
}
const services: Omit<EmailSender, 'emails'> = {
  addressing: async ({ addresses: [address] }) =>
    address === undefined ? { refusal: 'no_email' } : { address: address.toLowerCase() },
  pacing: { waitsUntil: async () => null, mayGoOut: async () => true },
  findAttachment: async () => undefined,
}
const sending = (send: EmailSender['emails']['send']) => sendEmail({ ...services, emails: { send } })
const block = sending(emails.send)
const { call } = new StandIn({})

const sent = await block.run(contextOf(call), input)
const output = sent.state === 'done' ? sent.output : undefined

test.each(
  blockChecks(block, {
    input,
    output,
    rehearsal: {
      state: 'rehearsed',
      email_id: null,
      message_id: null,
      rejected: [],
      suppressed: [],
      dry_run: true,
      would: { to: ['grace@example.com'], subject: 'Your harbour', text: 'Hello.' },
    },
  }),
)('%s', (_title, check) => check())

test('sends a repeated step as the same letter, and another step as another', async () => {
  letters.length = 0
  for (const idempotencyKey of ['run-1:a', 'run-1:a', 'run-1:b'])
    await block.run(contextOf(call, { idempotencyKey }), input)
  expect(letters.map(({ key }) => key)).toEqual(['run-1:a', 'run-1:a', 'run-1:b'])
  expect(letters[0]).toMatchObject({
    recipients: ['grace@example.com'],
    letter: { subject: 'Your harbour', text: 'Hello.', html: null },
    inSequence: false,
    personId: null,
    tracksOpens: false,
    tracksClicks: false,
  })
})

test('sends nothing in a test run', async () => {
  letters.length = 0
  await block.run(contextOf(call, { run: { id: 'run-1', workflowId: 'workflow-1', isDryRun: true } }), input)
  expect(letters).toEqual([])
})

test('writes rich text as text and as HTML', async () => {
  letters.length = 0
  const message = [{ type: 'paragraph', content: [{ type: 'text', text: 'Hello <you>.', styles: { bold: true } }] }]
  await block.run(contextOf(call), { to: 'a@example.com', subject: 'A', message })
  expect(letters[0]?.letter.text).toBe('Hello <you>.')
  expect(letters[0]?.letter.html).toContain('<p><strong>Hello &lt;you&gt;.</strong></p>')
})

const person = (items: readonly string[]) =>
  new StandIn({
    'records.get': () => ({
      data: answeredRecord('person', 'person-1', { email_addresses: { items } }),
      included: [],
      meta: {},
    }),
  })

const inSequence = (items: readonly string[]) =>
  contextOf(person(items).call, { workflowType: 'sequence', record: { object: 'person', id: 'person-1' } })

test('goes to the person of the run in a sequence, at one of their addresses', async () => {
  letters.length = 0
  const items = ['ada@example.com', 'grace@example.com']
  await block.run(inSequence(items), { subject: 'A', text: 'B' })
  await block.run(inSequence(items), input)
  expect(letters).toMatchObject([
    { recipients: ['ada@example.com'], personId: 'person-1', inSequence: true },
    { recipients: ['grace@example.com'], personId: 'person-1' },
  ])
  await expect(block.run(inSequence(['ada@example.com']), input)).rejects.toMatchObject({ code: 'no_recipient' })
  await expect(block.run(inSequence([]), { subject: 'A', text: 'B' })).rejects.toMatchObject({ code: 'no_email' })
})

const at = (addressing: EmailSender['addressing']) =>
  sendEmail({ ...services, emails, addressing }).run(inSequence([]), { subject: 'A', text: 'B' })

test('goes to the address with which the person was enrolled, or says why to none', async () => {
  letters.length = 0
  await at(async () => ({ address: 'fixed@example.com' }))
  await at(async () => ({ refusal: 'suppressed', at: 'gone@example.com' }))
  expect(letters.map(({ recipients }) => recipients)).toEqual([['fixed@example.com'], ['gone@example.com']])
  await expect(at(async () => ({ refusal: 'duplicate_address' }))).rejects.toMatchObject({ code: 'duplicate_address' })
})

test('needs a recipient where the run is of no person', async () => {
  await expect(block.run(contextOf(call), { subject: 'A', text: 'B' })).rejects.toMatchObject({ code: 'no_recipient' })
})

test('ends a sequence for a person who may not be written to', async () => {
  const suppressing = sending(async ({ key }) => ({
    state: 'suppressed',
    emailId: key,
    messageId: `<${key}@a>`,
    isFirst: true,
    suppressed: ['grace@example.com'],
    rejected: [],
  }))
  const outcome = await suppressing.run(inSequence(['grace@example.com']), input)
  expect(outcome).toMatchObject({ state: 'done', ends: 'suppressed', output: { state: 'suppressed' } })
})

test('waits in a sequence for as long as it is told to', async () => {
  letters.length = 0
  const paced = sendEmail({
    ...services,
    emails,
    pacing: { ...services.pacing, waitsUntil: async ({ now }) => now + 1000 },
  })
  expect(await paced.run(inSequence(['grace@example.com']), input)).toEqual({ state: 'wait', until: triedAt + 1000 })
  expect(letters).toEqual([])
  expect(await paced.run(contextOf(call), input)).toMatchObject({ state: 'done' })
})

test('rests where its sequence was paused, and fails where its workspace has written enough', async () => {
  const held = sending(async () => ({ state: 'held' }))
  expect(await held.run(inSequence(['grace@example.com']), input)).toEqual({ state: 'wait', until: triedAt })
  const limited = sending(() => Promise.reject(new EmailLimitReached(5, '2026-11-28')))
  const failure = { code: 'email_limit_reached', isRetryable: false }
  await expect(limited.run(contextOf(call), input)).rejects.toMatchObject(failure)
})

test.each([
  [{ responseCode: 451, message: 'Try later' }, 'mail_deferred', true, true],
  [{ responseCode: 550, message: 'No such mailbox' }, 'mail_refused', false, false],
  [{ responseCode: 554, command: 'CONN', message: 'No service here' }, 'mail_deferred', true, true],
  [{ responseCode: 530, command: 'MAIL FROM', message: 'Log in first' }, 'mail_deferred', true, true],
  [{ responseCode: 552, command: 'DATA', message: 'Too large' }, 'mail_refused', false, false],
  [{ code: 'ECONNECTION', message: 'refused' }, 'mail_deferred', true, true],
  [{ code: 'EMESSAGE', command: 'MAIL FROM', message: 'larger than allowed' }, 'mail_refused', false, false],
  [{ code: 'EENVELOPE', message: 'no recipients' }, 'mail_refused', false, false],
  [{ code: 'EENVELOPE', responseCode: 450, message: 'greylisted' }, 'mail_deferred', true, true],
  [{ code: 'ENOENT', message: 'no such file' }, 'mail_deferred', true, false],
])('fails after %j with %s', async (cause, code, isRetryable, isPatient) => {
  const refusing = sending(async () => {
    throw new MailFailure(cause)
  })
  await expect(refusing.run(contextOf(call), input)).rejects.toMatchObject({
    code,
    isRetryable,
    isPatient,
    message: cause.message,
  })
})

test('waits no longer for a mail server when it is told to stop', async () => {
  const reason = new Error('the server stops')
  const controller = new AbortController()
  const run = sending(() => new Promise(() => undefined)).run(contextOf(call, { signal: controller.signal }), input)
  controller.abort(reason)
  await expect(run).rejects.toBe(reason)
})

test.each([
  [{ ...input, to: '' }],
  [{ ...input, to: 'grace' }],
  [{ ...input, to: 'Grace <grace@example.com>' }],
  [{ ...input, to: [] }],
  [{ ...input, to: null }],
  [{ to: input.to, subject: 'A' }],
  [{ ...input, message: [{ type: 'paragraph' }] }],
  [{ ...input, text: undefined, message: [] }],
])('refuses %j', async (given) => {
  await expect(block.run(contextOf(call), given)).rejects.toMatchObject({ code: 'invalid_input' })
})
