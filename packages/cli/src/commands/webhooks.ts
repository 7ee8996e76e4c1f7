import { randomBytes } from 'node:crypto'
import { Command, Option } from 'commander'
import { matchesEvent } from '@kontor/contract'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { Interrupted, UsageError } from '../errors.ts'
import { examples } from '../help.ts'
import { print, say } from '../output.ts'
import { follow } from '../webhooks/follow.ts'
import { forward } from '../webhooks/forward.ts'

type Options = ConnectionOptions & {
  readonly forward: string
  readonly events: readonly string[]
  readonly secret?: string
}

const help = `
Events are forwarded as a webhook would send them, from now on, once each and in order; what fails is not repeated.
The server needs no way to this machine. Ctrl-C ends it.
${examples(
  ['kontor webhooks listen --forward http://localhost:3000/hook', 'all events'],
  ["kontor webhooks listen --forward http://localhost:3000/hook --events 'record.*,comment.created'", 'some events'],
)}`

const listen = (): Command =>
  withConnection(new Command('listen'))
    .description('Forward the events of a workspace to a program on this machine, signed like a webhook.')
    .requiredOption('--forward <url>', 'URL of the program')
    .option('--events <types>', 'event types such as record.updated or record.*, separated by commas', list, ['*'])
    .addOption(
      new Option('--secret <whsec>', 'signing secret; by default a new one, which is printed').env(
        'KONTOR_WEBHOOK_SECRET',
      ),
    )
    .addHelpText('after', help)
    .action(run)

const list = (text: string): string[] => text.split(',').map((type) => type.trim())

async function run({ forward: url, events, secret: given, ...connection }: Options): Promise<void> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError(`Events cannot be sent to "${url}"; it looks like http://localhost:3000/hook.`)
  const connected = connect(connection)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop)
  const secret = given ?? newSecret()
  // One that the person has given belongs in no log.
  if (given === undefined) say(`Secret: ${secret}`)
  const onBegin = () => say(`Forwarding the events of ${connected.workspace} to ${url}. Ctrl-C ends it.`)
  try {
    for await (const event of follow(connected, { signal: stopping.signal, onBegin })) {
      const { type, object, record_id } = event.attributes
      if (!events.some((pattern) => matchesEvent(pattern, type))) continue
      const { said, tookMs } = await forward(url, secret, event)
      print(`${type}  ${object} ${record_id}  ${said} in ${tookMs} ms`)
    }
  } finally {
    process.off('SIGINT', stop)
  }
  throw new Interrupted('Ended.')
}

/** As long as those that the server makes. */
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export const webhooksCommand = (): Command =>
  new Command('webhooks').description('Receive webhooks on this machine.').addCommand(listen())
