import { SMTPServer } from 'smtp-server'
import { atEnd } from './at-end.ts'
import { until } from './until.ts'

type Received = {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
  /** The letter as it came. */
  readonly raw: Buffer
  /** When its sender began to hand it over. */
  readonly begunAt: number
}

/** Longer than any mail of ours takes on a busy machine. */
const waitMs = 60_000

/** A real mail server that keeps what it is sent, decoded as far as our mails are encoded. */
export async function mailServer() {
  const waiting: Received[] = []
  const full = new Set<string>()
  const unknown = new Set<string>()
  const begun = new Map<string, number>()
  let taken = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom(_sender, { id }, done) {
      begun.set(id, Date.now())
      done()
    },
    onRcptTo({ address }, _session, done) {
      if (full.has(address)) done(refusal(452, 'The mailbox is full'))
      else if (unknown.has(address)) done(refusal(550, '5.1.1 There is no such mailbox'))
      else done()
    },
    onData(stream, { id, envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        taken++
        const raw = Buffer.concat(chunks)
        waiting.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          text: decoded(raw.toString()),
          raw,
          begunAt: begun.get(id) ?? 0,
        })
        done()
      })
    },
  })
  // A client that is killed leaves its connection.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  atEnd(() => new Promise<void>((resolve) => server.close(resolve)))
  const { port } = server.server.address() as { port: number }
  return {
    url: `smtp://127.0.0.1:${port}`,
    waiting,
    /** Addresses for which nothing is taken now. */
    full,
    /** Addresses that there are not. */
    unknown,
    /** The number of letters that it has accepted. */
    taken: (): number => taken,
    async next(): Promise<Received> {
      return until(() => waiting.shift(), { withinMs: waitMs, what: 'a mail' })
    },
  }
}

const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })

/** Undoes quoted-printable (RFC 2045 §6.7) for text in ASCII. */
const decoded = (text: string): string =>
  /^content-transfer-encoding: quoted-printable/im.test(text)
    ? text
        .replaceAll(/=\r?\n/g, '')
        .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    : text
