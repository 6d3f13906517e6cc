/// <reference types="vite/client" />

/** The gateway's, which carries these pages. */
declare const __VERSION__: string;
