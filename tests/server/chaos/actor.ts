import { setTimeout as sleep } from 'node:timers/promises'
import { comments, imports, records } from '@kontor/client'
import type { Random } from '../../harness/random.ts'
import type { Client } from './client.ts'

/** A person as an actor has last changed it. */
export type Person = {
  readonly id: string
  title: string
  company: string | null
  state: 'live' | 'deleted' | 'merged'
  comments: number
}

/** The acknowledged changes of an actor. */
export type Acknowledged = {
  readonly persons: Map<string, Person>
  /** Titles of persons that an import wrote; no later change concerns them. */
  readonly imported: string[]
  readonly imports: string[]
  /** Ids of deals by their names. */
  readonly deals: Map<string, string>
}

/** The word in a title by which the dynamic list finds a person. */
export const listedWord = 'listed'

const bulkPersons = 12
const importRows = 25

/** Between two changes of an actor, so that the load leaves the machine time for its faults. */
const pauseMs = 120

/** Someone who works in a workspace: only they change their own persons, one change after another. */
export class Actor {
  readonly done: Acknowledged = { persons: new Map(), imported: [], imports: [], deals: new Map() }
  readonly #client: Client
  readonly #random: Random
  readonly #workspace: string
  readonly #name: string
  readonly #companies: readonly string[]
  #serial = 0

  constructor(options: { client: Client; random: Random; workspace: string; name: string; companies: string[] }) {
    this.#client = options.client
    this.#random = options.random
    this.#workspace = options.workspace
    this.#name = options.name
    this.#companies = options.companies
  }

  async work(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      await this.#random.weighted(this.#steps)()
      await sleep(pauseMs)
    }
  }

  get #steps(): readonly (readonly [number, () => Promise<void>])[] {
    return [
      [5, () => this.#create()],
      [6, () => this.#rename()],
      [3, () => this.#relink()],
      [3, () => this.#comment()],
      [2, () => this.#remove()],
      [2, () => this.#restore()],
      [1, () => this.#merge()],
      [1, () => this.#createMany()],
      [2, () => this.#order()],
      [0.4, () => this.#import()],
    ]
  }

  #next(): string {
    return `${this.#name} ${++this.#serial}`
  }

  #nextTitle(): string {
    return `${this.#next()}${this.#random.chance(0.3) ? ` ${listedWord}` : ''}`
  }

  #pickIn(state: Person['state']): Person | undefined {
    const some = [...this.done.persons.values()].filter((person) => person.state === state)
    return some.length === 0 ? undefined : this.#random.pick(some)
  }

  #keep(id: string, title: string, company: string | null): void {
    this.done.persons.set(id, { id, title, company, state: 'live', comments: 0 })
  }

  async #create(): Promise<void> {
    const title = this.#nextTitle()
    const company = this.#random.chance(0.5) ? this.#random.pick(this.#companies) : null
    const attributes = { job_title: title, company_id: company }
    const { body } = await this.#client.change(title, (rest, options) =>
      rest.call(
        records.create,
        { workspace: this.#workspace, object: 'person', body: { data: { type: 'person', attributes } } },
        options,
      ),
    )
    this.#keep(body.data.id, title, company)
  }

  async #patch(id: string, attributes: Record<string, unknown>): Promise<void> {
    const body = { data: { type: 'person', attributes } }
    await this.#client.change(this.#next(), (rest, options) =>
      rest.call(records.update, { workspace: this.#workspace, object: 'person', id, body }, options),
    )
  }

  async #rename(): Promise<void> {
    const person = this.#pickIn('live')
    if (person === undefined) return
    const title = this.#nextTitle()
    await this.#patch(person.id, { job_title: title })
    person.title = title
  }

  async #relink(): Promise<void> {
    const person = this.#pickIn('live')
    if (person === undefined) return
    const company = this.#random.chance(0.2) ? null : this.#random.pick(this.#companies)
    await this.#patch(person.id, { company_id: company })
    person.company = company
  }

  async #comment(): Promise<void> {
    const person = this.#pickIn('live')
    if (person === undefined) return
    const text = this.#next()
    const message = [{ type: 'paragraph', content: [{ type: 'text', text }] }]
    const body = { entity: 'person', owner_id: person.id, message }
    await this.#client.change(text, (rest, options) =>
      rest.call(comments.create, { workspace: this.#workspace, body }, options),
    )
    person.comments++
  }

  async #remove(): Promise<void> {
    const person = this.#pickIn('live')
    if (person === undefined) return
    await this.#client.change(this.#next(), (rest, options) =>
      rest.call(records.remove, { workspace: this.#workspace, object: 'person', id: person.id }, options),
    )
    person.state = 'deleted'
  }

  async #restore(): Promise<void> {
    const person = this.#pickIn('deleted')
    if (person === undefined) return
    const body = { items: [person.id] }
    await this.#client.change(this.#next(), (rest, options) =>
      rest.call(records.restore, { workspace: this.#workspace, object: 'person', body }, options),
    )
    person.state = 'live'
  }

  async #merge(): Promise<void> {
    const [target, source] = [this.#pickIn('live'), this.#pickIn('live')]
    if (target === undefined || source === undefined || target === source) return
    const body = { data: { type: 'person', attributes: { sources: [source.id] } } }
    await this.#client.change(this.#next(), (rest, options) =>
      rest.call(records.merge, { workspace: this.#workspace, object: 'person', id: target.id, body }, options),
    )
    source.state = 'merged'
    target.company ??= source.company
    target.comments += source.comments
  }

  async #createMany(): Promise<void> {
    const titles = Array.from({ length: bulkPersons }, () => this.#nextTitle())
    const data = titles.map((job_title) => ({ type: 'person', attributes: { job_title } }))
    const { body } = await this.#client.change(this.#next(), (rest, options) =>
      rest.call(records.createMany, { workspace: this.#workspace, object: 'person', body: { data } }, options),
    )
    if (!('data' in body)) throw new Error('a bulk creation returned no records')
    for (const [at, { id }] of body.data.entries()) this.#keep(id, titles[at] ?? '', null)
  }

  /** A deal, which begins a run. */
  async #order(): Promise<void> {
    const name = this.#next()
    const body = { data: { type: 'deal', attributes: { name } } }
    const made = await this.#client.change(name, (rest, options) =>
      rest.call(records.create, { workspace: this.#workspace, object: 'deal', body }, options),
    )
    this.done.deals.set(name, made.body.data.id)
  }

  async #import(): Promise<void> {
    const workspace = this.#workspace
    const titles = Array.from({ length: importRows }, () => this.#nextTitle())
    const upload = await this.#client.change(this.#next(), (rest, options) =>
      rest.call(imports.upload, { workspace, body: { name: 'persons.csv' } }, options),
    )
    const { signedUrl, upload_id } = upload.body.data
    await this.#client.put(signedUrl, `Title\n${titles.join('\n')}\n`)
    const body = { object: 'person', upload_id, mapping: [{ source: 'Title', field: 'job_title' }] }
    const made = await this.#client.change(this.#next(), (rest, options) =>
      rest.call(imports.create, { workspace, body }, options),
    )
    this.done.imports.push(made.body.data.id)
    this.done.imported.push(...titles)
  }
}
