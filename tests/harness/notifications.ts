import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import type { Json } from './http.ts'
import type { Caller, Person } from './people.ts'

export const notificationsPath = '/workspaces/acme/notifications'

/** What the people of acme are notified of. */
export function notificationsOf(app: TestApp) {
  const list = async (as: Caller, query = ''): Promise<Json[]> => {
    const { status, body } = await app.api.get(`${notificationsPath}${query}`, { as })
    expect([status, body.errors]).toEqual([200, undefined])
    return body.data
  }
  /** What has come since the last look, the oldest first, once nothing is under way any more. */
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
