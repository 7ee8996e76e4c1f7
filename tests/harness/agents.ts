import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import type { Json } from './http.ts'
import type { Caller } from './people.ts'
import { workflowsOf } from './workflows.ts'

export const agentsPath = '/workspaces/acme/agents'

/** Agents of a workspace, and their runs. */
export function agentsOf(app: TestApp) {
  const { api } = app
  const { until } = workflowsOf(app)
  const create = async (attributes: Json, as: Caller = 'member'): Promise<Json> => {
    const { status, body } = await api.post(agentsPath, { as, body: { name: 'Agent', enabled: true, ...attributes } })
    expect([status, body.errors]).toEqual([201, undefined])
    return body.data
  }
  const begin = async (id: string, body: Json = {}, as: Caller = 'member'): Promise<Json> => {
    const answer = await api.post(`${agentsPath}/${id}/runs`, { as, body })
    expect([answer.status, answer.body.errors]).toEqual([201, undefined])
    return answer.body.data
  }
  const run = async (id: string, runId: string, as: Caller = 'admin'): Promise<Json> =>
    (await api.get(`${agentsPath}/${id}/runs/${runId}`, { as })).body.data
  /** Waits for a run to end. */
  const ended = (id: string, runId: string): Promise<Json> =>
    until(async () => {
      const found = await run(id, runId)
      return found.attributes.ended_at !== null && found
    })
  /** Runs an agent to the end. */
  const carryOut = async (id: string, body: Json = {}, as: Caller = 'member'): Promise<Json> =>
    ended(id, (await begin(id, body, as)).id)
  return { create, begin, run, ended, carryOut, until }
}

/** A program that is an agent. */
export const program = (body: string): string =>
  `export async function handler(input, { client, workflowContext }) {\n${body}\n}`
