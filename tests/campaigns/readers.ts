import { absenceNote, answerTo, deliveryReport, type Held } from '../harness/inbound-mail.ts'

/** The habits of readers, their mail clients and their mail servers with the letters of a campaign. */
export const habits = [
  'ignores',
  'opens',
  'clicks',
  'replies',
  'unsubscribes',
  'has no mailbox any more',
  'has none by the second letter',
  'gets it late',
  'is away',
  'is scanned',
  'never had a mailbox',
  'has a full mailbox',
] as const

export type Habit = (typeof habits)[number]

/**
 * The state of a reader in the list: by their habit, unless their run was lost with its servers before they replied.
 */
export type Outcome = Habit | 'replied to a lost run'

export type Letter = Held & { readonly block: 'first' | 'second'; readonly urls: readonly string[] }

/** The calls of readers to the server; each returns once it was answered. */
export type Line = {
  readonly visit: (url: string, method?: 'GET' | 'HEAD' | 'POST', agent?: string) => Promise<unknown>
  readonly deliver: (mail: string) => Promise<unknown>
}

const urlOf = ({ urls }: Letter, kind: string): string => urls.find((url) => url.includes(`/email/${kind}/`)) ?? ''

/** Does what happens to a letter as soon as it is there. */
export async function react(habit: Habit, letter: Letter, { visit, deliver }: Line): Promise<void> {
  if (letter.block === 'second') {
    if (habit === 'has none by the second letter') await deliver(deliveryReport(letter, '5.1.1'))
    return
  }
  if (habit === 'replies') await deliver(answerTo(letter))
  if (habit === 'unsubscribes') await visit(urlOf(letter, 'unsubscribe'), 'POST')
  if (habit === 'has no mailbox any more') await deliver(deliveryReport(letter, '5.1.1'))
  if (habit === 'gets it late') await deliver(deliveryReport(letter, '4.4.7'))
  if (habit === 'is away') await deliver(absenceNote(letter))
  if (habit === 'is scanned') {
    await visit(urlOf(letter, 'click'), 'HEAD')
    await visit(urlOf(letter, 'open'), 'GET', 'Mozilla/5.0 (via ggpht.com GoogleImageProxy)')
  }
}

/** Does what a reader does with the first letter once they find the time. */
export async function read(habit: Habit, letter: Letter, { visit }: Line): Promise<void> {
  if (habit !== 'opens' && habit !== 'clicks') return
  await visit(urlOf(letter, 'open'))
  if (habit === 'clicks') await visit(urlOf(letter, 'click'))
}

type Stage = 'waiting' | 'paused' | 'over'

/** The entry of a reader in the list, by its filters and in their row. */
type Expected = {
  readonly delivery: 'scheduled' | 'completed' | 'paused' | 'failed' | 'unsubscribed'
  readonly progress: 'pending' | 'sent' | 'failed'
  readonly row: readonly [status: string, exitReason: string | null]
  readonly events: readonly string[]
}

const doneBy: Partial<Record<Habit, readonly string[]>> = {
  opens: ['opened'],
  clicks: ['opened', 'clicked'],
  replies: ['replied'],
}

const unreached: ReadonlySet<Habit> = new Set(['has no mailbox any more', 'never had a mailbox'])

export function expectedOf(habit: Outcome, stage: Stage): Expected {
  if (habit === 'replied to a lost run')
    return { delivery: 'failed', progress: 'failed', row: ['failed', null], events: ['replied'] }
  const events = doneBy[habit] ?? []
  const isUnreached = unreached.has(habit) || (stage === 'over' && habit === 'has none by the second letter')
  if (isUnreached) return { delivery: 'failed', progress: 'failed', row: ['failed', 'on:email:bounce'], events }
  if (habit === 'replies')
    return { delivery: 'completed', progress: 'sent', row: ['success', 'on:email:reply'], events }
  if (habit === 'unsubscribes')
    return { delivery: 'unsubscribed', progress: 'sent', row: ['cancelled', 'on:email:unsubscribe'], events }
  return stage === 'over'
    ? { delivery: 'completed', progress: 'sent', row: ['success', null], events }
    : { delivery: stage === 'paused' ? 'paused' : 'scheduled', progress: 'pending', row: ['waiting', null], events }
}

/** The letters of a campaign that a reader has in the end. */
export function lettersOf(habit: Habit): Letter['block'][] {
  if (habit === 'never had a mailbox') return []
  const { delivery } = expectedOf(habit, 'waiting')
  return delivery === 'scheduled' ? ['first', 'second'] : ['first']
}

/** Whom a campaign that comes afterwards leaves out. */
export const isLeftOut = (habit: Habit): boolean =>
  expectedOf(habit, 'over').delivery === 'failed' || habit === 'unsubscribes'
