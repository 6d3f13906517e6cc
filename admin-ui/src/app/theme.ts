import {
  Button,
  createTheme,
  Modal,
  NativeSelect,
  PasswordInput,
  Table,
  Textarea,
  TextInput,
  Tooltip,
} from "@mantine/core";

/** Dense and calm: small type, little colour. What is coloured says something. */
export const theme = createTheme({
  primaryColor: "teal",
  primaryShade: 9,
  defaultRadius: "sm",
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, "DejaVu Sans Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: "650", sizes: { h1: { fontSize: "1.3rem" }, h2: { fontSize: "1rem" } } },
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ defaultProps: { size: "xs" } }),
    TextInput: TextInput.extend({ defaultProps: { size: "sm" } }),
    PasswordInput: PasswordInput.extend({ defaultProps: { size: "sm" } }),
    NativeSelect: NativeSelect.extend({ defaultProps: { size: "sm" } }),
    Textarea: Textarea.extend({ defaultProps: { size: "sm" } }),
    Modal: Modal.extend({ defaultProps: { centered: true, transitionProps: { duration: 0 } } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 6, horizontalSpacing: "sm" } }),
    Tooltip: Tooltip.extend({ defaultProps: { withArrow: true, multiline: true, maw: 360 } }),
  },
});
