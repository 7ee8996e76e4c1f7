import type { TestApp } from './app.ts'
import type { Json } from './http.ts'
import { recordsOf } from './records.ts'
import { chain, workflowsOf } from './workflows.ts'

/** Sequences that write to people, and their letters. */
export function lettersOf(app: TestApp) {
  const records = recordsOf(app)
  const workflows = workflowsOf(app)
  const { api } = app

  const person = (address: string, more: Json = {}): Promise<Json> =>
    records.create('person', { email_addresses: { items: [address] }, ...more })

  /** Makes a sequence of one letter; what follows it are other blocks. */
  const sequence = (letter: Json, more: Json = {}, ...blocks: readonly Json[]): Promise<Json> =>
    workflows.create({
      name: 'Write',
      type: 'sequence',
      enabled: true,
      ...chain(
        { plugin_id: 'on:manual:execution', input: { object: 'person' } },
        { key: 'letter', plugin_id: 'svc:send:email', input: letter },
        ...blocks,
      ),
      ...more,
    })

  /** Begins a run of a workflow for a person; its id. */
  const begin = async (workflow: Json, of: Json): Promise<string> => {
    const { body } = await api.post(`${workflows.path}/${workflow.id}/runs`, {
      body: { object: 'person', record_id: of.id },
    })
    return body.data.id
  }

  const letter = async (id: string): Promise<Json> => {
    const { body } = await api.get(`/workspaces/acme/emails/${id}`)
    return body.data?.attributes
  }

  /** Writes to a person once; the letter. */
  const write = async (of: Json, input: Json): Promise<Json> => {
    const run = await workflows.runIn(await begin(await sequence(input), of))
    const [step] = run.attributes.steps
    if (step.output === null) throw new Error(`no letter: ${JSON.stringify(step)}`)
    return letter(step.output.email_id)
  }

  return { records, workflows, person, sequence, begin, letter, write }
}

/** Within this time of its acceptance it is not the reader who looks at a letter. */
export const scansMs = 5000

/** The addresses of links and pictures in HTML. */
export const urlsIn = (html: string): string[] =>
  [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'))
