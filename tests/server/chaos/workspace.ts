import { createKey } from '../../harness/people.ts'
import { Random } from '../../harness/random.ts'
import type { Json } from '../../harness/http.ts'
import { chain } from '../../harness/workflows.ts'
import { Actor, listedWord } from './actor.ts'
import { Client, type Responses } from './client.ts'
import type { Installation } from './installation.ts'

const companies = 5
const actorsEach = 2

const own = { object: 'deal', record_id: '{{trigger.state.event.object._id}}' }
const subject = '{{trigger.state.event.object.data.name}}'

const workflow = (url: string): Json => ({
  name: 'Orders',
  enabled: true,
  ...chain(
    { plugin_id: 'on:svc:create:record', input: { object: 'deal' } },
    { key: 'comment', plugin_id: 'svc:create:comment', input: { ...own, message: 'Seen' } },
    { key: 'email', plugin_id: 'svc:send:email', input: { to: 'ada@example.com', subject, text: 'Yours.' } },
    { key: 'post', plugin_id: 'webhook:send:outbound', input: { url, body: { deal: own.record_id } } },
    { key: 'change', plugin_id: 'svc:update:record', input: { ...own, attributes: { amount: 7 } } },
  ),
})

type Options = {
  readonly installation: Installation
  /** Where webhooks and requests of runs go. */
  readonly receiver: string
  readonly responses: Responses
  readonly seed: number
  readonly isGivenUp: () => boolean
}

/** Creates a workspace with a workflow, a webhook and a dynamic list, in which some people work. */
export async function createWorkspace(number: number, options: Options) {
  const { installation, receiver, responses, seed, isGivenUp } = options
  const { app, origins } = installation
  const slug = `north-${number}`
  const { key } = await createKey(app.api.post, await app.addWorkspace(slug), { workspace: slug })
  const as = { authorization: `api-key ${key}` }
  const path = `/workspaces/${slug}`
  const make = async (place: string, body: Json): Promise<Json> => {
    const made = await app.api.post(`${path}${place}`, { as, body })
    if (made.status !== 201) throw new Error(`${place}: ${JSON.stringify(made.body)}`)
    return made.body.data
  }
  const { id: workflowId } = await make('/workflows', workflow(`${receiver}/${slug}/run`))
  const webhook = { url: `${receiver}/${slug}/event`, events: ['record.created'], filter: { object: 'deal' } }
  const { attributes: hook } = await make('/webhooks', webhook)
  const filter = { field: 'job_title', op: 'Contains', value: listedWord }
  const list = { title: 'Listed', type: 'dynamic', state: 'published', query: { filter, version: 1 } }
  const { id: listId } = await make('/objects/person/lists', list)
  const rows = Array.from({ length: companies }, (_, at) => ({ type: 'company', attributes: { name: `Aker ${at}` } }))
  const made: Json[] = await make('/objects/company/records/bulk', { data: rows })
  const actors = Array.from({ length: actorsEach }, (_, at) => {
    const random = new Random(seed, number, at)
    const client = new Client({ origins, workspace: slug, apiKey: key, random, responses, isGivenUp })
    return new Actor({ client, random, workspace: slug, name: `${slug} ${at}`, companies: made.map(({ id }) => id) })
  })
  return { slug, path, as, actors, workflowId, listId, secret: hook.secret as string, api: app.api }
}

export type Workspace = Awaited<ReturnType<typeof createWorkspace>>
