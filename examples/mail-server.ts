import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A letter as it arrived; `at` is an instant of `performance.now()`. */
export type Letter = {
  readonly to: string
  readonly messageId: string
  readonly subject: string
  readonly text: string
  readonly at: number
}

const letterOf = (to: string, text: string): Letter => {
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, 'im').exec(text)?.[1]?.trim() ?? ''
  return { to, messageId: header('Message-ID'), subject: header('Subject'), text, at: performance.now() }
}

/** A mail server that keeps what it is sent, and tells of it. */
export async function startMailServer() {
  const letters: Letter[] = []
  const listeners: ((letter: Letter) => void)[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address).join(', ')
        const letter = letterOf(to, Buffer.concat(chunks).toString())
        letters.push(letter)
        done()
        for (const listen of listeners) listen(letter)
      })
    },
  })
  // A server that is killed resets its connections.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    letters,
    onLetter: (listen: (letter: Letter) => void) => void listeners.push(listen),
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>
