import { depthMax } from '../kernel/parse/parse.ts'

/** The items of a list, between its brackets; `cuts` are the places of commas between portions of them. */
export type ListSpan = { readonly start: number; readonly end: number; readonly cuts: readonly number[] }

/** Members of one object. More than any object of a workspace has fields; a million take V8 seconds. */
const membersMax = 10_000

/** Open brackets: what is deeper than values may be is refused later, item by item, unless it is that deep. */
const openMax = 10_000

/** Values of a body: a hundred for each of 10,000 records. */
const valuesMax = 1_000_000

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The depth of what is in a list of the root. */
const inRootList = 2

/**
 * Finds the lists in the root of a JSON text and what makes it costly, in one pass that can be interrupted. It does not
 * find all that is wrong with the syntax.
 */
export class JsonOutline {
  /** The reason why the text is too costly. */
  fault: string | undefined
  /** True once brackets do not match, so that the text is no JSON. */
  isMalformed = false
  /** Values of the largest item of a list in the root, and of all that is in no such list. */
  readonly values = { ofItem: 0, outside: 0 }
  /** Characters of the longest item of a list in the root. */
  itemMax = 0
  readonly lists: ListSpan[] = []
  readonly #text: string
  readonly #portionCharacters: number
  #at = 0
  #isInText = false
  #count = 0
  readonly #kinds: number[] = []
  readonly #members: number[] = []
  #list: { start: number; cuts: number[]; counted: number; item: number } | undefined

  /** A list is cut at the first comma after so many characters. */
  constructor(text: string, portionCharacters: number) {
    this.#text = text
    this.#portionCharacters = portionCharacters
  }

  /** Reads on until a place; returns whether it is done. */
  read(until: number): boolean {
    const text = this.#text
    const end = Math.min(until, text.length)
    let at = this.#at
    let isInText = this.#isInText
    for (; at < end && !this.#isRefused(); at++) {
      const code = text.charCodeAt(at)
      if (isInText) {
        if (code === backslash) at++
        else if (code === quote) isInText = false
      } else if (code === quote) isInText = true
      else if (code === comma) this.#passComma(at)
      else if (code === openList || code === openObject) this.#open(code, at)
      else if (code === closeList || code === closeObject) this.#close(code, at)
    }
    this.#at = at
    this.#isInText = isInText
    if (at >= text.length && this.#kinds.length > 0) this.isMalformed = true
    return this.#isRefused() || at >= text.length
  }

  #isRefused(): boolean {
    return this.isMalformed || this.fault !== undefined
  }

  #open(code: number, at: number): void {
    this.#kinds.push(code)
    this.#members.push(1)
    if (this.#kinds.length > openMax) this.fault = `Values can be nested at most ${depthMax} deep.`
    this.#countValue()
    if (this.#kinds.length === inRootList && code === openList && this.#kinds[0] === openObject)
      this.#list = { start: at + 1, cuts: [], counted: this.#count, item: at + 1 }
  }

  #close(code: number, at: number): void {
    const isOfList = this.#list !== undefined && this.#kinds.length === inRootList
    const opened = this.#kinds.pop()
    this.#members.pop()
    if (opened !== (code === closeList ? openList : openObject)) this.isMalformed = true
    if (!isOfList || this.#list === undefined) return
    this.#endItem(this.#list, at)
    this.lists.push({ start: this.#list.start, end: at, cuts: this.#list.cuts })
    this.#list = undefined
  }

  #passComma(at: number): void {
    const depth = this.#kinds.length
    const members = (this.#members[depth - 1] ?? 0) + 1
    this.#members[depth - 1] = members
    if (members > membersMax && this.#kinds[depth - 1] === openObject)
      this.fault = `An object has at most ${membersMax} members.`
    this.#countValue()
    if (this.#list === undefined || depth !== inRootList) return
    this.#endItem(this.#list, at)
    if (at - (this.#list.cuts.at(-1) ?? this.#list.start) >= this.#portionCharacters) this.#list.cuts.push(at)
  }

  #endItem(list: { counted: number; item: number }, at: number): void {
    this.itemMax = Math.max(this.itemMax, at - list.item)
    list.item = at + 1
    this.values.ofItem = Math.max(this.values.ofItem, this.#count - list.counted)
    list.counted = this.#count
  }

  #countValue(): void {
    if (++this.#count > valuesMax) this.fault = `A body has at most ${valuesMax} values.`
    else if (this.#list === undefined) this.values.outside++
  }
}
