/// JSON as text on one side, and as the JDK's maps, lists and values on the other. It stays with Jackson's parser
/// and leaves its mapper alone: loading the mapper's classes would cost the start of the gateway more than reading
/// all of its configuration does. Knows no document by name.
@NullMarked
package hermit.json;

import org.jspecify.annotations.NullMarked;
