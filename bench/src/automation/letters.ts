import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { addWorkflow, countingRuns, newWorkflow } from './runs.ts'
import { createCompanies, type AutomationStand } from './stand.ts'
import { waitUntil } from '../wait.ts'

const letter = {
  key: 'letter',
  plugin_id: 'svc:send:email',
  input: {
    to: 'reader@example.com',
    subject: 'About {{trigger.state.event.object.data.name}}',
    message: [
      { type: 'paragraph', content: [{ type: 'text', text: 'Hello {{trigger.state.event.object.data.name}}.' }] },
    ],
  },
}

/** A mail server in this process, which takes everything at once. */
async function mailServer() {
  let taken = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      stream.resume()
      stream.on('end', () => {
        taken++
        done()
      })
    },
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    taken: () => taken,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

/** Letters a second, from the first event to the last run that has ended. */
export async function measureLetters(stand: AutomationStand, count: number): Promise<number> {
  const mail = await mailServer()
  const running = await stand.start({ SMTP_URL: mail.url, MAIL_FROM: 'Bench <bench@example.com>' })
  const runs = countingRuns(stand)
  try {
    const { id, disable } = await addWorkflow(running, newWorkflow('A letter', [letter]))
    const started = performance.now()
    await createCompanies(running, count)
    await waitUntil(async () => (await runs.count(id, 'success')) >= count, 'the letters were sent', 50)
    const seconds = (performance.now() - started) / 1000
    if (mail.taken() !== count) throw new Error(`${mail.taken()} letters of ${count}`)
    await disable()
    return count / seconds
  } finally {
    await runs.close()
    await running.server.stop()
    await mail.close()
  }
}
