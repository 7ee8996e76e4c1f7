import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import type { Json } from './http.ts'
import type { Caller, Person } from './people.ts'

export const notificationsPath = '/workspaces/acme/notifications'

/** The notifications of the people of acme. */
export function notificationsOf(app: TestApp) {
  const list = async (as: Caller, query = ''): Promise<Json[]> => {
    const { status, body } = await app.api.get(`${notificationsPath}${query}`, { as })
    expect([status, body.errors]).toEqual([200, undefined])
    return body.data
  }
  /** The notifications since the last call, the oldest first, once no work is under way. */
  const news = async (as: Person): Promise<Json[]> => {
    await app.startJobs()
    await app.quiet()
    const unread = (await list(as, '?filter[read]=false&page[limit]=1000')).toReversed()
    await app.api.post(`${notificationsPath}/read`, { as, body: { items: 'all' } })
    return unread.map(({ attributes }) => attributes)
  }
  /** The kinds of what has come. */
  const kinds = async (as: Person): Promise<string[]> => (await news(as)).map(({ kind }) => kind)
  return { list, news, kinds }
}
