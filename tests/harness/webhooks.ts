import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import type { Json } from './http.ts'
import type { Caller } from './people.ts'
import { until } from './until.ts'

export const webhooksPath = '/workspaces/acme/webhooks'

const waitMs = 60_000

/** Webhooks of an app, through its API. */
export function webhooksOf({ api }: Pick<TestApp, 'api'>, as: Caller = 'admin') {
  const create = async (attributes: Json): Promise<Json> => {
    const { status, body } = await api.post(webhooksPath, { as, body: { events: ['list.deleted'], ...attributes } })
    expect([status, body.errors]).toEqual([201, undefined])
    return body.data.attributes
  }
  const get = async (id: string): Promise<Json> => (await api.get(`${webhooksPath}/${id}`, { as })).body.data.attributes
  const update = async (id: string, body: Json): Promise<Json> => {
    const answer = await api.patch(`${webhooksPath}/${id}`, { as, body })
    expect([answer.status, answer.body.errors]).toEqual([200, undefined])
    return answer.body.data.attributes
  }
  const deliveries = async (id: string, query: Record<string, string> = {}): Promise<Json[]> =>
    (await api.get(`${webhooksPath}/${id}/deliveries`, { as, query })).body.data.map((one: Json) => one.attributes)
  const delivery = async (id: string, deliveryId: string): Promise<Json> =>
    (await api.get(`${webhooksPath}/${id}/deliveries/${deliveryId}`, { as })).body.data.attributes
  const test = async (id: string): Promise<Json> => {
    const answer = await api.post(`${webhooksPath}/${id}/test`, { as })
    expect([answer.status, answer.body.errors]).toEqual([202, undefined])
    return answer.body.data.attributes
  }
  /** Waits until a delivery is as expected. */
  const settled = (id: string, deliveryId: string, expected: Json): Promise<Json> =>
    until(
      async () => {
        const found = await delivery(id, deliveryId)
        return Object.entries(expected).every(([name, value]) => found[name] === value) && found
      },
      { withinMs: waitMs, what: () => delivery(id, deliveryId) },
    )
  return { create, get, update, deliveries, delivery, test, settled }
}
