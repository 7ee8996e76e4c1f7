/** One end of a relationship: the object whose records have the field, and the field. */
type End = { readonly object: string; readonly field: string }
export type Side = 'a' | 'b'
/** The kind is seen from `a`, whose object sorts before that of `b`, as its field does where they are one object. */
export type Relation = { readonly kind: 'many-to-one' | 'one-to-one' | 'many-to-many' } & Readonly<Record<Side, End>>

type Link = { readonly a: string; readonly b: string; live: boolean }

export const otherSide = (side: Side): Side => (side === 'a' ? 'b' : 'a')
export const isToOne = ({ kind }: Relation, side: Side): boolean =>
  kind === 'one-to-one' || (kind === 'many-to-one' && side === 'a')

/**
 * Relationships, in the plainest words: for each a list of links, in which a link that waits for a deleted record is
 * not live. Records are their ids, which sort in the order of their creation.
 */
export class Model {
  readonly relations: readonly Relation[]
  readonly states = new Map<string, 'live' | 'deleted' | 'merged'>()
  readonly #links = new Map<Relation, Link[]>()
  /** The values of fields to one of a record when it was deleted. */
  readonly #said = new Map<string, string>()

  constructor(relations: readonly Relation[]) {
    this.relations = relations
    for (const relation of relations) this.#links.set(relation, [])
  }

  copy(): Model {
    const copied = new Model(this.relations)
    for (const [id, state] of this.states) copied.states.set(id, state)
    for (const [relation, links] of this.#links)
      copied.#links.set(
        relation,
        links.map((link) => ({ ...link })),
      )
    for (const [place, said] of this.#said) copied.#said.set(place, said)
    return copied
  }

  /** Everything that it knows, in words. */
  describe(): string[] {
    const states = [...this.states].map(([id, state]) => `${id} ${state}`)
    const said = [...this.#said].map(([place, to]) => `${place} said ${to}`)
    return [...states, ...this.links().map((link) => link.join(' ')), ...said].toSorted()
  }

  /** All links by the field of their first end: who to whom, and which wait for a deleted record. */
  links(): [field: string, a: string, b: string, is: 'live' | 'waiting'][] {
    return [...this.#links].flatMap(([{ a: end }, links]) =>
      links.map(({ a, b, live }): [string, string, string, 'live' | 'waiting'] => [
        `${end.object}.${end.field}`,
        a,
        b,
        live ? 'live' : 'waiting',
      ]),
    )
  }

  /** The value of a field to one of a record when it was deleted. */
  said = (relation: Relation, side: Side, id: string): string | undefined =>
    this.#said.get(this.#saidPlace(relation, side, id))

  isLive(id: string): boolean {
    return this.states.get(id) === 'live'
  }

  /** Whom a record is linked to, the oldest first. */
  linked(relation: Relation, side: Side, id: string): string[] {
    return this.#links
      .get(relation)!
      .filter((link) => link.live && link[side] === id)
      .map((link) => link[otherSide(side)])
      .toSorted()
  }

  link(relation: Relation, side: Side, id: string, to: string): void {
    if (isToOne(relation, side)) this.unlink(relation, side, id)
    if (isToOne(relation, otherSide(side))) this.unlink(relation, otherSide(side), to)
    this.unlink(relation, side, id, to)
    this.#links.get(relation)!.push({ [side]: id, [otherSide(side)]: to, live: true } as unknown as Link)
  }

  /** Ends the live links of a record, or the one to another. */
  unlink(relation: Relation, side: Side, id: string, to?: string): void {
    this.#keep(
      relation,
      (link) => !(link.live && link[side] === id && (to === undefined || link[otherSide(side)] === to)),
    )
  }

  #keep(relation: Relation, isKept: (link: Link) => boolean): void {
    this.#links.set(relation, this.#links.get(relation)!.filter(isKept))
  }

  *#sidesOf(object: string): Generator<[Relation, Side]> {
    for (const relation of this.relations)
      for (const side of ['a', 'b'] as const) if (relation[side].object === object) yield [relation, side]
  }

  #saidPlace = (relation: Relation, side: Side, id: string): string =>
    `${this.relations.indexOf(relation)} ${side} ${id}`

  remove(object: string, ids: readonly string[]): void {
    for (const [relation, side] of this.#sidesOf(object)) {
      for (const id of ids) {
        const [last] = this.linked(relation, side, id)
        if (isToOne(relation, side) && last !== undefined) this.#said.set(this.#saidPlace(relation, side, id), last)
      }
    }
    for (const id of ids) this.states.set(id, 'deleted')
    for (const links of this.#links.values())
      for (const link of links) link.live &&= this.isLive(link.a) && this.isLive(link.b)
  }

  restore(ids: readonly string[]): void {
    for (const id of ids) this.states.set(id, 'live')
    for (const relation of this.relations) {
      const waiting = this.#links
        .get(relation)!
        .filter((link) => !link.live && this.isLive(link.a) && this.isLive(link.b))
      const inOrder = waiting.toSorted((x, y) => (`${x.a} ${x.b}` < `${y.a} ${y.b}` ? -1 : 1))
      const wasLast = (link: Link): boolean =>
        (['a', 'b'] as const).some(
          (side) =>
            isToOne(relation, side) &&
            this.#said.get(this.#saidPlace(relation, side, link[side])) === link[otherSide(side)],
        )
      for (const link of [...inOrder.filter(wasLast), ...inOrder.filter((one) => !wasLast(one))]) {
        const isFree = (['a', 'b'] as const).every(
          (side) => !isToOne(relation, side) || this.linked(relation, side, link[side]).length === 0,
        )
        if (isFree) link.live = true
        else this.#keep(relation, (one) => one !== link)
      }
      for (const side of ['a', 'b'] as const)
        for (const id of ids) this.#said.delete(this.#saidPlace(relation, side, id))
    }
  }

  /** Its own partner wins, then that of the first source that has one; no record is linked to itself by it. */
  merge(object: string, target: string, sources: readonly string[]): void {
    const all = [target, ...sources]
    const chosen = [...this.#sidesOf(object)]
      .filter(([relation, side]) => isToOne(relation, side))
      .map(([relation, side]) => ({
        relation,
        side,
        to: all.flatMap((id) => this.linked(relation, side, id)).find((to) => !all.includes(to)),
      }))
    for (const relation of this.relations) this.#moveLinks(relation, target, sources)
    for (const { relation, side, to } of chosen) {
      this.unlink(relation, side, target)
      if (to !== undefined) this.link(relation, side, target, to)
    }
    for (const id of sources) this.states.set(id, 'merged')
  }

  #moveLinks(relation: Relation, target: string, sources: readonly string[]): void {
    const moved = (id: string): string => (sources.includes(id) ? target : id)
    const touched = this.#links.get(relation)!.filter((link) => sources.includes(link.a) || sources.includes(link.b))
    this.#keep(relation, (link) => !touched.includes(link))
    for (const { a, b, live } of touched) {
      for (const side of ['a', 'b'] as const) this.#redirectSaid(relation, side, { a, b }, moved)
      const next = { a: moved(a), b: moved(b), live }
      const isThere = this.#links.get(relation)!.some((link) => link.a === next.a && link.b === next.b)
      // References of records to themselves are values, and one of all is chosen.
      const isValue =
        live && (relation.kind === 'one-to-one' || (relation.kind === 'many-to-one' && sources.includes(a)))
      if (next.a !== next.b && !isThere && !isValue) this.#links.get(relation)!.push(next)
    }
  }

  /** References of a deleted record to one that is merged become references to the one that this lives on in. */
  #redirectSaid(relation: Relation, side: Side, link: Pick<Link, Side>, moved: (id: string) => string): void {
    const place = this.#saidPlace(relation, side, link[side])
    if (this.#said.get(place) === link[otherSide(side)]) this.#said.set(place, moved(link[otherSide(side)]))
  }
}
