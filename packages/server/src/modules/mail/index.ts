export { MailFailure, messageIdOf, smtpMailer, type Mailer, type MailSettings } from './mailer.ts'
