import type { Call } from './http.ts'

/** Requests of each kind among a hundred. Creates and deletes balance, so that the number of records stays. */
const weights = {
  get: 36,
  list: 14,
  filter: 6,
  members: 2,
  search: 6,
  update: 14,
  create: 8,
  remove: 8,
  comment: 2,
  uncomment: 2,
  bulk: 1,
  unbulk: 1,
}

export type Kind = keyof typeof weights
export const kinds = Object.keys(weights) as Kind[]

const perBulk = 10
/** Records and comments that are there to be deleted, before the first request. */
const ahead = 200

/** The kinds of a hundred requests, each spread evenly. */
export function patternOf(): Kind[] {
  const credit = new Map(kinds.map((kind) => [kind, 0]))
  return Array.from({ length: 100 }, () => {
    for (const kind of kinds) credit.set(kind, (credit.get(kind) ?? 0) + weights[kind])
    const [chosen] = [...credit].reduce((most, one) => (one[1] > most[1] ? one : most))
    credit.set(chosen, (credit.get(chosen) ?? 0) - 100)
    return chosen
  })
}

const titles = ['Analyst', 'Engineer', 'Designer', 'Manager', 'Director', 'Nurse', 'Teacher', 'Pilot']
const lastNames = ['Lovelace', 'Hopper', 'Noether', 'Curie', 'Franklin', 'Meitner', 'Turing', 'Hamilton', 'Goeppert']

const personOf = (number: number) => ({
  type: 'person',
  attributes: {
    name: { first_name: `Ada ${number % 997}`, last_name: `${lastNames[number % lastNames.length]} ${number % 7919}` },
    job_title: titles[number % titles.length],
    email_addresses: { items: [`person-${number}@example.com`] },
  },
})

type Made = { readonly data: { readonly id: string } }
type ManyMade = { readonly data: readonly { readonly id: string }[] }

const records = 'objects/person/records'
const resources = 'objects/person/resources'

/** A workspace whose records are read and changed. */
export class Workspace {
  readonly #call: Call
  /** The dynamic list whose members are read. */
  list = ''
  readonly #kept: string[] = []
  readonly #removable: string[] = []
  readonly #comments: string[] = []
  #number = 0

  constructor(call: Call) {
    this.#call = call
  }

  async fill(count: number): Promise<void> {
    for (let from = 0; from < count; from += 500) this.#kept.push(...(await this.#createMany(500)))
    for (let left = ahead; left > 0; left -= 100) this.#removable.push(...(await this.#createMany(100)))
    for (let left = ahead; left > 0; left--) await this.send('comment')
  }

  /** Sends a request of a kind, and resolves with its response. */
  async send(kind: Kind): Promise<void> {
    const number = this.#number++
    const id = this.#kept[(number * 7919) % this.#kept.length] as string
    switch (kind) {
      case 'get':
        return void (await this.#call('GET', `${records}/${id}`))
      case 'list':
        return void (await this.#call('GET', `${resources}?page[limit]=25`))
      case 'filter': {
        const title = titles[number % titles.length]
        return void (await this.#call('GET', `${resources}?filter[job_title][Is]=${title}&page[limit]=25`))
      }
      case 'members':
        return void (await this.#call('GET', `objects/person/lists/${this.list}/resources?page[limit]=25`))
      case 'search':
        return void (await this.#call('POST', 'search', { query: lastNames[number % lastNames.length] }))
      case 'update': {
        const data = { type: 'person', attributes: { job_title: titles[(number >> 3) % titles.length] } }
        return void (await this.#call('PATCH', `${records}/${id}`, { data }))
      }
      case 'create':
        return void this.#removable.push((await this.#call<Made>('POST', records, { data: personOf(number) })).data.id)
      case 'remove':
        return void (await this.#call('DELETE', `${records}/${this.#removable.shift()}`))
      case 'comment':
        return this.#comment(id)
      case 'uncomment':
        return void (await this.#call('DELETE', `comments/${this.#comments.shift()}`))
      case 'bulk':
        return void this.#removable.push(...(await this.#createMany(perBulk)))
      case 'unbulk':
        return void (await this.#call('DELETE', records, { items: this.#removable.splice(0, perBulk) }))
    }
  }

  async #comment(ownerId: string): Promise<void> {
    const message = [{ type: 'paragraph', content: [{ type: 'text', text: 'Called back' }] }]
    const made = await this.#call<{ _id: string }>('POST', 'comments', { entity: 'person', owner_id: ownerId, message })
    this.#comments.push(made._id)
  }

  async #createMany(count: number): Promise<string[]> {
    const data = Array.from({ length: count }, () => personOf(this.#number++))
    return (await this.#call<ManyMade>('POST', `${records}/bulk`, { data })).data.map(({ id }) => id)
  }
}
