import type { NotificationKind, NotificationResource } from '@kontor/contract'

type Words = {
  readonly kind: NotificationKind
  /** The name of the actor. */
  readonly who: string
  /** To whom: `you`, or a name. */
  readonly whom: string
  /** Its subject. */
  readonly what: string
}

const sentences: Readonly<Record<NotificationKind, (words: Words) => string>> = {
  comment: ({ who, what }) => `${who} commented on ${what}.`,
  mention: ({ who, whom, what }) => `${who} mentioned ${whom} in a comment on ${what}.`,
  assignment: ({ who, whom, what }) => `${who} assigned ${what} to ${whom}.`,
  share: ({ who, whom, what }) => `${who} shared ${what} with ${whom}.`,
  webhook_failure: ({ what }) => `${what} fails.`,
  webhook_recovery: ({ what }) => `${what} works again.`,
  workflow_failure: ({ what }) => `${what} failed.`,
}

/** A notification in a sentence. */
export const sentenceOf = (words: Words): string => sentences[words.kind](words)

/** Returns the subject of a notification in words; a record without a visible name, by its object. */
export const subjectOf = (object: string, name: string | null | undefined): string =>
  nameless.get(object) ?? (name || `a ${object}`)

/** Things that have no name here. */
const nameless: ReadonlyMap<string, string> = new Map([
  ['workflow', 'A workflow'],
  ['webhook', 'A webhook'],
  ['schema', 'an object'],
])

/** A notification as its reader is told of it. */
export const tellReader = ({ attributes }: NotificationResource): string =>
  sentenceOf({
    kind: attributes.kind,
    who: attributes.actor.name ?? 'A program',
    whom: 'you',
    what: subjectOf(attributes.object, attributes.record_name),
  })
