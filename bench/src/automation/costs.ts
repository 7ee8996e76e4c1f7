import type { Contender, Pair } from '../rates.ts'
import { startBare } from '../processes.ts'
import { addWorkflow, newWorkflow } from './runs.ts'
import type { AutomationStand, Place, Running } from './stand.ts'

const body = JSON.stringify({ data: { type: 'company', attributes: { name: 'Company {n}' } } })

const contender = ({ server }: Pick<Running, 'server'>, { headers }: Place): Contender => ({
  port: server.port,
  headers,
  server,
})

const ask = (of: Contender, { slug }: Place) => ({
  of,
  request: { method: 'POST' as const, paths: [`/v1/workspaces/${slug}/objects/company/records`], bodies: [body] },
})

/** The least share of the rate of a create that is kept beside what follows the log or could follow it. */
const keptAtLeast = 0.9

/** Creates where nothing follows the log of events, beside those of the same program that writes no events. */
export async function withoutEvents(stand: AutomationStand) {
  const bare = await startBare({ databaseUrl: stand.url, without: 'events' })
  const whole = await startBare({ databaseUrl: stand.url, without: 'nothing' })
  const pair: Pair = {
    what: 'create one, with its event and no subscriber',
    atLeast: keptAtLeast,
    beside: 'the same without events',
    other: ask(contender({ server: bare }, stand.still), stand.still),
    ours: ask(contender({ server: whole }, stand.still), stand.still),
  }
  return { pair, stop: () => Promise.all([bare.stop(), whole.stop()]) }
}

/** Creates beside a workflow whose filter never holds, and those of a workspace without one. */
export async function beneathWorkflow(stand: AutomationStand, running: Running) {
  const { disable } = await addWorkflow(
    running,
    newWorkflow(
      'Never',
      [],
      [{ field: 'state.event.object.data.name', condition: { operator: 'Is', value: 'No company' } }],
    ),
  )
  const pair: Pair = {
    what: 'create one, beside a workflow that never matches',
    atLeast: keptAtLeast,
    beside: 'one without a workflow',
    other: ask(contender(running, stand.still), stand.still),
    ours: ask(contender(running, stand.busy), stand.busy),
  }
  return { pair, stop: disable }
}
