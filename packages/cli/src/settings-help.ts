import { describeConfig } from '@kontor/server/config'

/** The settings below the help of what runs by them. */
export const settingsHelp = (): string =>
  `\nSettings, by environment:\n${describeConfig()
    .map((line) => `  ${line}`)
    .join('\n')}\n`
