export type Participant = {
  readonly email: string
  readonly name?: string
  readonly status?: string
  readonly organizer?: boolean
  /** The kind of a participant that is no person: `room`, `resource`, `group`. */
  readonly type?: string
}

/** Of two versions the one with the higher number counts, then the one that was written later (RFC 5546 §2.1.5). */
export type EventVersion = { readonly sequence: number; readonly stampedAt: number | null }

/** The forms of an instance's original by which a calendar names it that does not have its series. */
export type InstanceName = {
  /** The likeliest first. */
  readonly originals: readonly number[]
  /** Where only a day is named: its beginning and end. */
  readonly day: readonly [from: number, to: number] | null
}

/** One occurrence of an event. */
export type Occurrence = EventVersion & {
  /** The same each time that the calendar is read. */
  readonly key: string
  /** null where the calendar gives it no name. */
  readonly uid: string | null
  /** Where the rule of its series puts it: an instant, or midnight UTC of a whole day. */
  readonly original: number
  /** null where the calendar has its series. */
  readonly name: InstanceName | null
  readonly title: string
  readonly startsAt: number
  readonly endsAt: number
  readonly isAllDay: boolean
  readonly participants: readonly Participant[]
  readonly isCancelled: boolean
  /** Where it and all later ones are cancelled: from which one on. */
  readonly cancelledFrom: number | null
}

/** An event with all its occurrences, or with some of them. */
export type Series = {
  readonly uid: string
  /** null where the calendar has only some instances of it; otherwise it has no others than these. */
  readonly version: EventVersion | null
  readonly isRecurring: boolean
  readonly isCancelled: boolean
  /** Instants between which a series was read. */
  readonly from: number
  readonly to: number
  readonly occurrences: readonly Occurrence[]
  /** Originals of instances that stay as they are, since the calendar has them and they could not be read. */
  readonly kept: readonly number[]
}

/** The reply of one participant to an invitation. */
export type Reply = {
  readonly uid: string
  /** The instance that it is about; null: all. */
  readonly name: InstanceName | null
  readonly sequence: number
  readonly email: string
  readonly status: string
}

export type Rejected = { readonly uid: string | null; readonly line: number; readonly detail: string }

/** The contents of a calendar, as plain data. */
export type Calendar = {
  readonly series: readonly Series[]
  readonly replies: readonly Reply[]
  /** Events that are left out, since they cannot be read. */
  readonly rejected: readonly Rejected[]
  /** Events that change nothing, by their method. */
  readonly ignored: number
}
