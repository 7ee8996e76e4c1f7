let steps = 0

/** Announces a step. */
export const step = (title: string): void => console.log(`\n${++steps}. ${title}`)

/** Shows a command as it would be typed. */
export const show = (...words: string[]): void =>
  console.log(`   $ ${words.map((word) => (/^[\w./:@=-]+$/.test(word) ? word : `'${word}'`)).join(' ')}`)

/** Says what came of it. */
export const tell = (result: string): void => console.log(`   ${result}`)

export const done = (): void => console.log(`\nAll ${steps} steps did what they should.`)
