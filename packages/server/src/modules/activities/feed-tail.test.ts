import { expect, test } from 'vitest'
import { FeedTail } from './feed-tail.ts'

const update = { kind: 'svc:update', actor: 'ada' }
const comment = { kind: 'comment:create', actor: 'ada' }

test('a feed goes on where its end says, and its end keeps what may still be joined', () => {
  const feed = new FeedTail({ top: 1, at: 0, open: [] }, 1000)
  expect([feed.add(update), feed.add(comment), feed.add(update)]).toMatchObject([
    { position: 2, place: 1, began_at: 1000 },
    { position: 3, place: 1 },
    { position: 2, place: 2 },
  ])
  const later = new FeedTail(feed.end, 30_000)
  expect(later.add(update)).toMatchObject({ position: 2, place: 3, began_at: 1000 })
  expect(later.add({ ...update, actor: 'ben' })).toMatchObject({ position: 4, place: 1, began_at: 30_000 })
  expect(new FeedTail(later.end, 62_000).end.open.map(({ actor }) => actor)).toEqual(['ben'])
})

test('a clock that was set back begins no activity anew, and no event goes before the last one', () => {
  const feed = new FeedTail({ top: 1, at: 0, open: [] }, 90_000)
  feed.add(update)
  const after = new FeedTail(feed.end, 10_000)
  expect(after.add(update)).toMatchObject({ position: 2, place: 2 })
  expect(after.end.at).toBe(90_000)
})

test('no more than sixteen activities, and none of a hundred events, stay open', () => {
  const feed = new FeedTail({ top: 0, at: 0, open: [] }, 0)
  for (let actor = 0; actor < 20; actor++) feed.add({ ...update, actor: `${actor}` })
  expect(feed.end.open.map(({ position }) => position)).toEqual(Array.from({ length: 16 }, (_, index) => index + 5))
  for (let made = 0; made < 99; made++) feed.add({ ...update, actor: '19' })
  expect(feed.end.open).toHaveLength(15)
  expect(feed.add({ ...update, actor: '19' })).toMatchObject({ position: 21, place: 1 })
})
