import type { z } from 'zod'

/** A setting: its environment variable, what it accepts and means, and what the program makes of it. */
export type Setting<S extends z.ZodType = z.ZodType, T = unknown> = {
  readonly variable: string
  readonly schema: S
  readonly text: string
  readonly read: (value: z.infer<S>) => T
}

/** Declares a setting; its text is a line of `kontor serve --help`. */
export function setting<S extends z.ZodType>(variable: string, schema: S, text: string): Setting<S, z.infer<S>>
export function setting<S extends z.ZodType, T>(
  variable: string,
  schema: S,
  text: string,
  read: (value: z.infer<S>) => T,
): Setting<S, T>
export function setting(variable: string, schema: z.ZodType, text: string, read = (value: unknown) => value): Setting {
  return { variable, schema, text, read }
}

type Settings = Readonly<Record<string, { readonly read: (value: never) => unknown } & Omit<Setting, 'read'>>>

/** The values of some settings as the program uses them, by name. */
type ValuesOf<S extends Settings> = { readonly [Name in keyof S]: ReturnType<S[Name]['read']> }

/** Ends the start with an error that says which settings do not fit together. */
export type Refuse = (text: string) => never

/** Settings that belong together. */
export type Section<T> = {
  readonly settings: readonly Omit<Setting, 'read'>[]
  /** Reads the settings from values by variable, which have been checked. */
  readonly read: (values: Readonly<Record<string, unknown>>, refuse: Refuse) => T
}

/** Declares settings that belong together; `combine` makes the section of the configuration of their values. */
export function section<S extends Settings>(settings: S): Section<ValuesOf<S>>
export function section<S extends Settings, T>(
  settings: S,
  combine: (values: ValuesOf<S>, refuse: Refuse) => T,
): Section<T>
export function section(
  settings: Readonly<Record<string, Setting>>,
  combine = (values: Readonly<Record<string, unknown>>, _refuse: Refuse): unknown => values,
): Section<unknown> {
  return {
    settings: Object.values(settings),
    read: (values, refuse) =>
      combine(
        Object.fromEntries(
          Object.entries(settings).map(([name, { variable, read }]) => [name, read(values[variable])]),
        ),
        refuse,
      ),
  }
}
