/** A fault of a calendar, for its sender. */
export class CalendarFault extends Error {
  override readonly name = 'CalendarFault'
}

/** A fault of one event: it is omitted, the others are read. */
export class EventFault extends Error {
  override readonly name = 'EventFault'
}

/** The number of steps that the rules of a calendar may take: an event that needs more is left out. */
export class CalendarBudget {
  #left: number
  #ofEvent = 0

  constructor(steps: number) {
    this.#left = steps
  }

  /** Begins the count of an event. */
  begin(steps: number): void {
    this.#ofEvent = steps
  }

  spend(steps: number): void {
    this.#left -= steps
    this.#ofEvent -= steps
    if (this.#left < 0 || this.#ofEvent < 0) throw new EventFault('Its recurrence rule is too complex.')
  }
}
