import type { Habit } from './readers.ts'

/** A tenth of the readers has each habit but the first, which the others have. */
const habits: readonly Habit[] = ['opens', 'clicks', 'replies', 'bounces', 'unsubscribes']

/** Returns the reaction of a reader, by their number. */
export const habitOf = (number: number): Habit => habits[number % 10] ?? 'ignores'

/** Where the campaign is when it is looked at. */
export type Stage = 'running' | 'paused' | 'over'

const statuses = ['scheduled', 'completed', 'paused', 'failed', 'unsubscribed'] as const
const events = ['opened', 'clicked', 'replied'] as const

/** The expected filters and row of a reader in the list. */
type Expected = {
  readonly delivery: (typeof statuses)[number]
  readonly done: ReadonlySet<(typeof events)[number]>
  readonly shown: Readonly<Record<string, unknown>>
}

export function expectedOf(habit: Habit, stage: Stage): Expected {
  const shown = {
    exit_reason: null as string | null,
    has_opened: habit === 'opens' || habit === 'clicks',
    has_clicked: habit === 'clicks',
    has_replied: habit === 'replies',
    has_unsubscribed: habit === 'unsubscribes',
  }
  const done = new Set(events.filter((event) => shown[`has_${event}`]))
  const row = (status: string, exit_reason: string | null = null) => ({ status, ...shown, exit_reason })
  if (habit === 'replies') return { delivery: 'completed', done, shown: row('success', 'on:email:reply') }
  if (habit === 'bounces') return { delivery: 'failed', done, shown: row('failed', 'on:email:bounce') }
  if (habit === 'unsubscribes')
    return { delivery: 'unsubscribed', done, shown: row('cancelled', 'on:email:unsubscribe') }
  return stage === 'over'
    ? { delivery: 'completed', done, shown: row('success') }
    : { delivery: stage === 'paused' ? 'paused' : 'scheduled', done, shown: row('waiting') }
}

/** The filters of the list. */
export type Filter = {
  readonly status?: (typeof statuses)[number]
  readonly event?: (typeof events)[number][]
  readonly q?: string
}

/** A reader, and the texts in which `q` looks. */
type Reader = Expected & { readonly texts: readonly string[] }

const hasText = ({ texts }: Reader, q: string): boolean =>
  texts.some((text) => text.toLowerCase().includes(q.toLowerCase()))

const combinations = [...events.map((event) => [event]), ['opened', 'replied'], [...events]] as const

/** Every filter of the list, with the readers whom it should find. */
export const filters: readonly { readonly filter: Filter; readonly holds: (reader: Reader) => boolean }[] = [
  { filter: {}, holds: () => true },
  ...statuses.map((status) => ({ filter: { status }, holds: ({ delivery }: Reader) => delivery === status })),
  ...combinations.map((event) => ({
    filter: { event: [...event] },
    holds: ({ done }: Reader) => event.some((one) => done.has(one)),
  })),
  ...['', 'READER 1', 'reader-2@LETTERS', '7', 'nobody'].map((q) => ({
    filter: { q },
    holds: (reader: Reader) => hasText(reader, q),
  })),
  {
    filter: { status: 'completed', event: ['replied'], q: 'reader' },
    holds: (reader: Reader) =>
      reader.delivery === 'completed' && reader.done.has('replied') && hasText(reader, 'reader'),
  },
]
